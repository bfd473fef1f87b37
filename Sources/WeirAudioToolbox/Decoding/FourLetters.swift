// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Codes that Apple writes as four letters.
enum FourLetters {
    /// The number of four letters; what is more than four is left out, and what is less counts as spaces.
    static func code(_ letters: String) -> UInt32 {
        var code: UInt32 = 0
        for letter in (Array(letters.utf8) + [32, 32, 32, 32]).prefix(4) {
            code = code << 8 | UInt32(letter)
        }
        return code
    }

    /// The letters of a status, or the number where it is none.
    static func name(_ status: Int32) -> String {
        let code = UInt32(bitPattern: status)
        let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
        guard letters.allSatisfy({ (32..<127).contains($0) }) else { return "\(status)" }
        return "'\(String(decoding: letters, as: UTF8.self))'"
    }
}
