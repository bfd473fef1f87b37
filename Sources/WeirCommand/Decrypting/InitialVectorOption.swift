// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// `--iv HEX|prefix`.
struct InitialVectorOption: Hashable, Sendable, ExpressibleByArgument {
    let vector: InitialVector

    /// Reads `prefix`, or 1 to 16 bytes as hexadecimal digits; how many bytes a mode takes is asked later.
    init?(argument: String) {
        guard argument != "prefix" else {
            self.vector = .prefix
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
        self.vector = .bytes(bytes)
    }

    /// The bytes, where they were given.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self.vector { bytes } else { nil }
    }

    /// Whether a mode takes as many bytes as there are.
    func fits(_ scheme: CipherScheme) -> Bool {
        guard let bytes else { return true }
        return bytes.count == 16 || scheme == .aesCTR && bytes.count >= 8
    }

    var defaultValueDescription: String {
        self.bytes.map(Self.text) ?? "prefix"
    }

    /// Bytes as hexadecimal digits.
    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0\(text)" : text
        }.joined()
    }
}
