// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What stands in the path of every address of a proxy, so that only those who were told can ask.
public struct ProxySecret: Hashable, Sendable {
    /// The characters, as they stand in the path.
    ///
    /// Never log them.
    public let text: String

    /// Makes a secret of 128 random bits: 32 hexadecimal digits.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Takes a secret that was made before.
    ///
    /// - Returns: `nil` unless it has 1 to 128 characters, all of them letters, digits, `-`, `.`,
    ///   `_` or `~` (RFC 3986 §2.3), so that it stands in a path as it is.
    public init?(_ text: String) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isUnreserved) else {
            return nil
        }
        self.text = text
    }

    init(using generator: inout some RandomNumberGenerator) {
        self.text = [generator.next(), generator.next()].map { (bits: UInt64) in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Whether a piece of a path is the secret, in a time that does not tell how much of it is
    /// right.
    func matches(_ segment: Substring.UTF8View) -> Bool {
        let own = self.text.utf8
        guard own.count == segment.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(own, segment) { difference |= left ^ right }
        return difference == 0
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

extension ProxySecret: CustomStringConvertible {
    /// Not the secret: what may stand in a log.
    public var description: String { "ProxySecret(hidden)" }
}
