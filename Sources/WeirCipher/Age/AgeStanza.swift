// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of an age header: the file key, wrapped for one recipient.
///
///     -> X25519 O6DLx/wDIawpUC978NSPjYvrfDtJVnZApXKp4FMPHCY     arguments
///     3aKjozt9agh7jGmvOKvR4iax41Wl4zj95MKK4X9JuWc               body, in lines of 64 characters and a shorter one
struct AgeStanza: Equatable {
    /// How many characters a line of the body has, except the last one, which has fewer.
    static let lineLength = 64

    /// Printable and without spaces; at least one, and the first says what kind of recipient it is.
    var arguments: [String]
    /// What the base64 behind them spells.
    var body: [UInt8]
    /// Where in the file it starts.
    var offset: Int64 = 0

    /// As it stands in a file, with the line feed at its end.
    var bytes: [UInt8] {
        var bytes = Array("-> \(self.arguments.joined(separator: " "))\n".utf8)
        var rest = UnpaddedBase64.encode(self.body)[...]
        while rest.count >= Self.lineLength {
            bytes.append(contentsOf: rest.prefix(Self.lineLength) + [UInt8(ascii: "\n")])
            rest = rest.dropFirst(Self.lineLength)
        }
        // Also when nothing is left: an empty line says that a body of full lines has ended.
        bytes.append(contentsOf: rest + [UInt8(ascii: "\n")])
        return bytes
    }

    /// The bytes that an argument spells in base64.
    ///
    /// - Parameters:
    ///   - index: which argument; there must be one.
    ///   - count: how many bytes it has to spell.
    /// - Returns: The bytes.
    /// - Throws: ``CipherError`` with `damaged`.
    func bytes(ofArgument index: Int, count: Int) throws(CipherError) -> [UInt8] {
        guard
            let bytes = UnpaddedBase64.decode(self.arguments[index].utf8), bytes.count == count
        else {
            throw self.damage("argument \(index + 1) does not spell \(count) bytes")
        }
        return bytes
    }

    /// The body, which holds a wrapped file key.
    ///
    /// - Returns: 32 bytes; a wrapped key of any other length could open with more than one key.
    /// - Throws: ``CipherError`` with `damaged`.
    func wrappedFileKey() throws(CipherError) -> [UInt8] {
        guard self.body.count == AgeFileKey.wrappedCount else {
            throw self.damage("its body is not \(AgeFileKey.wrappedCount) bytes")
        }
        return self.body
    }

    /// Says that the stanza breaks the rules of its kind.
    ///
    /// - Parameter reason: how.
    /// - Returns: The error.
    func damage(_ reason: String) -> CipherError {
        CipherError(
            .damaged,
            "The header of the age file is damaged: a recipient's part at byte \(self.offset) is malformed, as "
                + "\(reason); fetch the file again, or encrypt it anew.",
            offset: self.offset
        )
    }
}
