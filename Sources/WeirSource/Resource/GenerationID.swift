// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Weir's name for one generation of one resource: 64 bits that are never used again.
public struct GenerationID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let rawValue: UInt64

    /// Names a generation.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads 16 hexadecimal digits, as ``description`` writes them.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
            let value = UInt64(text, radix: 16)
        else { return nil }
        self.rawValue = value
    }

    /// 16 hexadecimal digits in lower case.
    public var description: String {
        let digits = String(self.rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
