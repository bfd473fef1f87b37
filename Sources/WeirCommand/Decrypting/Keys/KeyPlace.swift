// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a key or a passphrase is to be found.
enum KeyPlace: Hashable, Sendable {
    /// In a file.
    case file(String)
    /// In a variable of the environment.
    case environment(String)

    /// Whether a text can be the name of a variable.
    static func isVariable(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, !digits.contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            digits.contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }
}

extension KeyPlace: CustomStringConvertible {
    /// As it is called in sentences, at whose start it stands.
    ///
    /// A variable is not named: who confuses the name and the key would read the key there.
    var description: String {
        switch self {
        case .file(let path): "The key file \(path)"
        case .environment: "The variable that key-env names"
        }
    }
}
