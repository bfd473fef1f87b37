// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AgeIdentity {
    /// The identities in a file as `age-keygen` writes it: one a line; empty lines and lines that start with `#` are
    /// passed over, and a line may end with CR LF.
    ///
    /// - Parameter text: the whole file.
    /// - Returns: The identities, in their order; at least one.
    /// - Throws: ``CipherError`` with `invalidKey` if a line holds something else or none holds an identity, and with
    ///   `unsupported` if the file is encrypted itself. The sentence names the line and shows nothing of it.
    public static func parseFile(_ text: SecretBytes) throws(CipherError) -> [AgeIdentity] {
        try text.withUnsafeBytes { bytes throws(CipherError) in
            try Self.refuseEncryptedFile(bytes)
            var identities: [AgeIdentity] = []
            let lines = bytes.split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            for (index, line) in lines.enumerated() {
                let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                guard let first = content.first, first != UInt8(ascii: "#") else { continue }
                do throws(CipherError) {
                    identities.append(try AgeIdentity(UnsafeRawBufferPointer(rebasing: content)))
                } catch {
                    throw CipherError(
                        error.code,
                        "Line \(index + 1) of the identity file cannot be used. \(error.message)"
                    )
                }
            }
            guard !identities.isEmpty else {
                throw CipherError(
                    .invalidKey,
                    "There is no identity in the identity file; make one with age-keygen."
                )
            }
            return identities
        }
    }

    private static func refuseEncryptedFile(_ bytes: UnsafeRawBufferPointer) throws(CipherError) {
        guard bytes.starts(with: AgeHeader.versionPrefix) || AgeHeader.isArmoured(bytes) else {
            return
        }
        throw CipherError(
            .unsupported,
            "The identity file is itself encrypted; decrypt it with “age --decrypt”, and give the result."
        )
    }
}
