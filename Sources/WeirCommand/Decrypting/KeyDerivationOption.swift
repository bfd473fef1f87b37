// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// `--kdf pbkdf2[:ITERATIONS][:DIGEST]|bytes-to-key[:DIGEST]`.
struct KeyDerivationOption: Hashable, Sendable, ExpressibleByArgument {
    let derivation: KeyDerivation

    /// Reads the words between the colons; the defaults are those of `openssl enc`.
    init?(argument: String) {
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
        case "pbkdf2": self.derivation = .pbkdf2(iterations: iterations ?? 10_000, digest)
        case "bytes-to-key": self.derivation = .bytesToKey(digest)
        default: return nil
        }
    }

    /// A number from 1 to 100,000,000, the most that the library works through.
    private static func iterations(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { (1...100_000_000).contains($0) ? $0 : nil }
    }

    var defaultValueDescription: String {
        switch self.derivation {
        case .pbkdf2(let iterations, let digest): "pbkdf2:\(iterations):\(digest.rawValue)"
        case .bytesToKey(let digest): "bytes-to-key:\(digest.rawValue)"
        }
    }
}
