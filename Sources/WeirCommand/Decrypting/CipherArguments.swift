// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import WeirCipher

/// `--iv HEX|prefix`.
extension InitialVector: ExpressibleByArgument {
    /// Reads `prefix`, or 1 to 16 bytes as hexadecimal digits; a later check compares the length with the mode.
    public init?(argument: String) {
        guard argument != "prefix" else {
            self = .prefix
            return
        }
        let digits = Array(argument.utf8)
        guard !digits.isEmpty, digits.count <= 32, digits.count.isMultiple(of: 2) else {
            return nil
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = KeyText.digit(digits[index]),
                let low = KeyText.digit(digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self = .bytes(bytes)
    }

    /// The bytes, if the user gave some.
    var givenBytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Whether the number of bytes fits a mode.
    func fits(_ scheme: CipherScheme) -> Bool {
        guard let bytes = self.givenBytes else { return true }
        return bytes.count == 16 || scheme == .aesCTR && bytes.count >= 8
    }
}

/// `--kdf pbkdf2[:ITERATIONS][:DIGEST]|bytes-to-key[:DIGEST]`.
extension KeyDerivation: ExpressibleByArgument {
    /// Reads the words between the colons; the defaults are those of `openssl enc`.
    public init?(argument: String) {
        var words = argument.split(separator: ":", omittingEmptySubsequences: false)[...]
        let name = words.removeFirst()
        var iterations: Int?
        if name == "pbkdf2", let count = words.first.flatMap(Self.iterations) {
            iterations = count
            words.removeFirst()
        }
        var digest = KeyDerivation.Digest.sha256
        if let word = words.popFirst() {
            guard let named = KeyDerivation.Digest(rawValue: String(word)) else { return nil }
            digest = named
        }
        guard words.isEmpty else { return nil }
        switch name {
        case "pbkdf2": self = .pbkdf2(iterations: iterations ?? 10_000, digest)
        case "bytes-to-key": self = .bytesToKey(digest)
        default: return nil
        }
    }

    /// Reads a number from 1 to 100,000,000, the library's limit.
    private static func iterations(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { (1...100_000_000).contains($0) ? $0 : nil }
    }
}

extension KeyDerivation.Digest {
    /// All digests, as a text for a sentence.
    static let list = Self.allCases.map(\.rawValue).joined(separator: ", ")
}

/// `--padding pkcs7|none`.
extension AESFormat.Padding: ExpressibleByArgument {
    /// The words, for help and errors.
    public static var allValueStrings: [String] { ["pkcs7", "none"] }

    /// Reads one of the words.
    public init?(argument: String) {
        switch argument {
        case "pkcs7": self = .pkcs7
        case "none": self = .none
        default: return nil
        }
    }
}

/// `--key-bits 128|192|256`: the length of a key that is derived from a passphrase.
enum KeyBits: Int, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case bits128 = 128
    case bits192 = 192
    case bits256 = 256

    var bytes: Int { self.rawValue / 8 }
}
