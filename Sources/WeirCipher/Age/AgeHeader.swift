// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What stands before the encrypted bytes of an age file (C2SP age.md, version 1): for whom the file key is wrapped.
///
///     age-encryption.org/v1                                     ┐
///     -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE     │ authenticated,
///     qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E               │ up to and including "---"
///     --- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s           ┘
struct AgeHeader: Equatable {
    /// For whom a file key is wrapped, as far as Weir knows their kinds.
    enum Recipients: Equatable {
        /// A passphrase, which stands alone.
        case passphrase(ScryptStanza)
        /// Public keys; none if there are only kinds that are not known.
        case publicKeys([X25519Stanza])
    }

    /// The longest header that is read, 64 KiB: room for more than 600 recipients.
    static let largestLength = 65_536
    /// What a file of any version starts with.
    static let versionPrefix = Array("age-encryption.org/".utf8)
    /// What a file of the version that is read starts with.
    static let versionLine = Array("age-encryption.org/v1\n".utf8)

    /// For whom the file key is wrapped.
    let recipients: Recipients
    /// The bytes from the start to `---`, for which ``code`` vouches.
    let authenticated: [UInt8]
    /// 32 bytes.
    let code: [UInt8]
    /// How many bytes of the file it takes, with the line feed at its end.
    let length: Int

    /// Reads a header, strictly.
    ///
    /// - Parameter bytes: the first bytes of a file, as many as there are by now; those behind the header are not looked
    ///   at.
    /// - Returns: The header; `nil` if it has not ended yet, and nothing is wrong so far. For ``largestLength`` bytes and
    ///   more it is never `nil`.
    /// - Throws: ``CipherError`` with `unsupported` for a file of another format or version, `damaged` for a malformed
    ///   header, and `tooCostly` for one that is too long.
    static func read(_ bytes: [UInt8]) throws(CipherError) -> AgeHeader? {
        var parser = AgeHeaderParser(bytes)
        return try parser.header()
    }

    /// Whether a file is in age's form of text, which starts with a line of PEM after white space, or with a beginning
    /// of that line and then ends.
    static func isArmoured(_ bytes: some Collection<UInt8>) -> Bool {
        let marker = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
        let start = bytes.drop { " \t\r\n".utf8.contains($0) }.prefix(marker.count)
        return !start.isEmpty && marker.starts(with: start)
    }
}
