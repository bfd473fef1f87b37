// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A media type without parameters: what a resource is, as HTTP and players name it.
///
/// The ``essence`` is in lower case: `audio/mpeg`. Two types are equal when their essences are;
/// ``canonical`` brings the many names of one format together.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Type and subtype in lower case, with a slash between: `audio/mpeg`.
    public let essence: String

    /// Takes an essence that this module has written itself.
    init(essence: String) {
        self.essence = essence
    }

    /// Reads the value of a `Content-Type` field (RFC 9110 §8.3.1) and drops its parameters.
    ///
    /// - Returns: `nil` unless the value starts with a type, a slash and a subtype, both tokens (RFC 9110
    ///   §5.6.2) of at most 127 characters (RFC 6838 §4.2) and no wildcards, followed by nothing or by
    ///   a semicolon. What stands in the parameters is not looked at.
    public init?(headerValue: String) {
        var type: [UInt8] = []
        var subtype: [UInt8] = []
        var place = Place.before
        scan: for byte in headerValue.utf8 {
            let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            switch place {
            case .before where isBlank:
                continue
            case .before, .inType:
                if byte == UInt8(ascii: "/"), !type.isEmpty {
                    place = .inSubtype
                } else {
                    guard let letter = Self.tokenCharacter(byte), type.count < 127 else {
                        return nil
                    }
                    type.append(letter)
                    place = .inType
                }
            case .inSubtype:
                if byte == UInt8(ascii: ";") { break scan }
                if isBlank {
                    place = .after
                } else {
                    guard let letter = Self.tokenCharacter(byte), subtype.count < 127 else {
                        return nil
                    }
                    subtype.append(letter)
                }
            case .after:
                if byte == UInt8(ascii: ";") { break scan }
                guard isBlank else { return nil }
            }
        }
        guard !type.isEmpty, !subtype.isEmpty else { return nil }
        let wildcard = [UInt8(ascii: "*")]
        guard type != wildcard, subtype != wildcard else { return nil }
        self.essence = String(decoding: type + [UInt8(ascii: "/")] + subtype, as: UTF8.self)
    }

    /// The part before the slash: `audio`.
    public var topLevel: Substring {
        self.essence.prefix { $0 != "/" }
    }

    /// The essence.
    public var description: String { self.essence }

    private enum Place {
        case before
        case inType
        case inSubtype
        case after
    }

    /// A character of a token in lower case, `nil` if the byte must not stand in one.
    private static func tokenCharacter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            byte | 0x20
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            byte
        default:
            nil
        }
    }
}
