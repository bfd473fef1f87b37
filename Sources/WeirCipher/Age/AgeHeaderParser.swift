// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses the first bytes of an age file, line by line.
struct AgeHeaderParser {
    private let bytes: [UInt8]
    /// The start of the next line.
    private var position = 0

    /// Starts at the first byte.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the whole header: see ``AgeHeader/read(_:)``.
    mutating func header() throws(CipherError) -> AgeHeader? {
        guard try self.passVersionLine() else { return nil }
        var stanzas: [AgeStanza] = []
        while true {
            let start = self.position
            guard let line = try self.nextLine() else { return nil }
            if line.starts(with: "-> ".utf8) {
                guard let stanza = try self.stanza(line) else { return nil }
                stanzas.append(stanza)
            } else if line.starts(with: "--- ".utf8) {
                return AgeHeader(
                    recipients: try Self.recipients(stanzas, end: start),
                    authenticated: Array(self.bytes[..<(start + 3)]),
                    code: try Self.code(line),
                    length: self.position
                )
            } else {
                throw Self.damage("a line starts with neither “-> ” nor “--- ”", at: start)
            }
        }
    }

    /// Skips `age-encryption.org/v1`; `false` if the line is not yet complete.
    private mutating func passVersionLine() throws(CipherError) -> Bool {
        let line = AgeHeader.versionLine
        let start = self.bytes.prefix(line.count)
        if line.starts(with: start) {
            self.position = start.count
            return start.count == line.count
        }
        if self.bytes.starts(with: line.dropLast() + [UInt8(ascii: "\r")]) {
            throw Self.lineEnding(at: line.count - 1)
        }
        if self.bytes.starts(with: AgeHeader.versionPrefix) {
            throw CipherError(
                .unsupported,
                "The file does not have version 1 of the age format, which is the only one that Weir reads; encrypt it"
                    + " in version 1.",
                offset: 0
            )
        }
        if AgeHeader.isArmoured(self.bytes) {
            throw CipherError(
                .unsupported,
                "The age file is text (armored), and seeking is impossible in it; encrypt it without “--armor”.",
                offset: 0
            )
        }
        throw CipherError(
            .unsupported,
            "The file is not an age file, because it does not start with “age-encryption.org/v1”; check whether and "
                + "how it is encrypted.",
            offset: 0
        )
    }

    /// The next line, without its line feed; `nil` if it is not yet complete.
    private mutating func nextLine() throws(CipherError) -> ArraySlice<UInt8>? {
        let rest = self.bytes[self.position..<min(self.bytes.count, AgeHeader.largestLength)]
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        if let other = line.firstIndex(where: { !(0x20...0x7E).contains($0) }) {
            guard line[other] != UInt8(ascii: "\r") else { throw Self.lineEnding(at: other) }
            throw Self.damage("a character is not allowed there", at: other)
        }
        guard line.endIndex < rest.endIndex else {
            guard self.bytes.count < AgeHeader.largestLength else {
                throw CipherError(
                    .tooCostly,
                    "The header of the age file is longer than \(AgeHeader.largestLength) bytes, which is the limit; "
                        + "encrypt the file for fewer recipients.",
                    offset: Int64(AgeHeader.largestLength)
                )
            }
            return nil
        }
        self.position = line.endIndex + 1
        return line
    }

    /// The stanza that starts with a line; `nil` if it is not yet complete.
    private mutating func stanza(_ line: ArraySlice<UInt8>) throws(CipherError) -> AgeStanza? {
        let arguments = line.dropFirst(3).split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        guard !arguments.contains(where: \.isEmpty) else {
            throw Self.damage("an argument of a recipient is empty", at: line.startIndex)
        }
        var body: [UInt8] = []
        while let text = try self.nextLine() {
            guard text.count <= AgeStanza.lineLength, let part = [UInt8](decodingBase64: text)
            else {
                throw Self.damage("a recipient's body is not strict base64", at: text.startIndex)
            }
            body.append(contentsOf: part)
            guard text.count == AgeStanza.lineLength else {
                return AgeStanza(
                    arguments: arguments.map { String(decoding: $0, as: UTF8.self) },
                    body: body,
                    offset: Int64(line.startIndex)
                )
            }
        }
        return nil
    }

    /// The supported recipients among the stanzas.
    private static func recipients(
        _ stanzas: [AgeStanza],
        end: Int
    ) throws(CipherError) -> AgeHeader.Recipients {
        guard !stanzas.isEmpty else { throw Self.damage("there is no recipient", at: end) }
        var publicKeys: [X25519Stanza] = []
        for stanza in stanzas {
            switch stanza.arguments.first {
            case X25519Stanza.name:
                publicKeys.append(try X25519Stanza(stanza))
            case ScryptStanza.name:
                let passphrase = try ScryptStanza(stanza)
                // A passphrase must be the only recipient. So only a person who knows it can have
                // written the file.
                guard stanzas.count == 1 else {
                    throw stanza.damage("a passphrase must be the only recipient")
                }
                return .passphrase(passphrase)
            default:
                break
            }
        }
        return .publicKeys(publicKeys)
    }

    /// The 32 bytes behind `--- `.
    private static func code(_ line: ArraySlice<UInt8>) throws(CipherError) -> [UInt8] {
        guard let code = [UInt8](decodingBase64: line.dropFirst(4)), code.count == 32 else {
            throw Self.damage(
                "its authentication code does not decode to 32 bytes",
                at: line.startIndex
            )
        }
        return code
    }

    private static func lineEnding(at offset: Int) -> CipherError {
        Self.damage(
            "a line ends with CR LF, because a program treated the file as text",
            at: offset
        )
    }

    private static func damage(_ reason: String, at offset: Int) -> CipherError {
        CipherError(
            .damaged,
            "The header of the age file is damaged at byte \(offset): \(reason); fetch the file again, or encrypt it "
                + "again.",
            offset: Int64(offset)
        )
    }
}
