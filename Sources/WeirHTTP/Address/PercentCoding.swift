// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Percent-encoding (RFC 3986 §2.1): encodes bytes that a request line cannot carry, and decodes
/// names.
package enum PercentCoding {
    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    /// The text, in which bytes that a request line cannot carry are percent-encoded.
    ///
    /// All other bytes stay. Brackets and lone percent signs stay too: RFC 3986 forbids them, but
    /// servers accept them and sign them.
    ///
    /// - Throws: `invalidRequest` for control characters, which could start a header of their own.
    package static func requestLineText(_ text: Substring) throws(SourceError) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0..<0x20, 0x7F:
                throw .unusableAddress("it holds a control character")
            case _ where self.isEncodedInRequestLines(byte): self.encode(byte, into: &out)
            default: out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isEncodedInRequestLines(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x80..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    private static func encode(_ byte: UInt8, into out: inout [UInt8]) {
        out.append(UInt8(ascii: "%"))
        out.append(self.hexDigits[Int(byte >> 4)])
        out.append(self.hexDigits[Int(byte & 15)])
    }

    /// The text as one component of a path or one value of a query.
    ///
    /// Every byte that is not unreserved (RFC 3986 §2.3) is percent-encoded.
    package static func component(_ text: String) -> String { self.component(text.utf8) }

    /// The bytes as one component of a path or one value of a query; they need not be valid UTF-8.
    package static func component(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        for byte in bytes {
            if self.isUnreserved(byte) { out.append(byte) } else { self.encode(byte, into: &out) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The normalized spelling of the text, the same for all equivalent forms (RFC 3986 §6.2.2).
    ///
    /// Triplets of unreserved bytes are decoded. The other triplets get upper-case digits.
    package static func normalized(_ text: some StringProtocol) -> String {
        let bytes = self.replacingTriplets(of: Array(text.utf8)) { byte, out in
            if self.isUnreserved(byte) { out.append(byte) } else { self.encode(byte, into: &out) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text in a form for people, which ``requestLineText(_:)`` turns back into the same text.
    ///
    /// Triplets of bytes that a request line cannot carry are decoded, and all others stay. If
    /// ``requestLineText(_:)`` would not restore the same text, the text stays unchanged. Examples
    /// are triplets with lower-case digits, and bytes that are not UTF-8.
    package static func readable(_ text: String) -> String {
        let bytes = self.replacingTriplets(of: Array(text.utf8)) { byte, out in
            if self.isEncodedInRequestLines(byte) {
                out.append(byte)
            } else {
                self.encode(byte, into: &out)
            }
        }
        let readable = String(decoding: bytes, as: UTF8.self)
        guard let again = try? self.requestLineText(readable[...]),
            again.utf8.elementsEqual(text.utf8)
        else { return text }
        return readable
    }

    /// Whether a byte is a letter, a digit, `-`, `.`, `_` or `~`, which any part of a URL may hold
    /// (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// The text with every valid triplet replaced by its byte, read as UTF-8.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    package static func decoded(_ text: some StringProtocol) -> String {
        String(decoding: self.decodedBytes(text), as: UTF8.self)
    }

    /// The bytes of the text after decoding; a percent sign without two hexadecimal digits stays.
    package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
        self.decodedBytes(Array(text.utf8))
    }

    /// The bytes after decoding; a percent sign without two hexadecimal digits stays.
    package static func decodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        self.replacingTriplets(of: bytes) { byte, out in out.append(byte) }
    }

    /// The bytes with every valid triplet replaced by the bytes that `write` appends for it.
    private static func replacingTriplets(
        of bytes: [UInt8],
        _ write: (UInt8, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexDigitValue, let low = bytes[index + 2].hexDigitValue
            {
                write(high << 4 | low, &out)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return out
    }
}

extension UInt8 {
    /// Whether the byte is `A` to `Z` or `a` to `z`.
    var isASCIILetter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    /// Whether the byte is `0` to `9`.
    var isASCIIDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Whether the byte is a hexadecimal digit of either case.
    var isASCIIHexDigit: Bool { self.hexDigitValue != nil }

    /// Whether a token may hold the byte (RFC 9110 §5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// Whether the byte is a space or a tab (OWS, RFC 9110 §5.6.3).
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

private let base64Alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
)

extension Sequence<UInt8> {
    /// The bytes in base64 (RFC 4648 §4), for credentials.
    package var base64Encoded: String {
        var text: [UInt8] = []
        var group: UInt32 = 0
        var held = 0
        for byte in self {
            group = group << 8 | UInt32(byte)
            held += 1
            guard held == 3 else { continue }
            for shift in [18, 12, 6, 0] {
                text.append(base64Alphabet[Int(group >> UInt32(shift)) & 63])
            }
            group = 0
            held = 0
        }
        if held > 0 {
            group <<= UInt32(8 * (3 - held))
            for index in 0...held {
                text.append(base64Alphabet[Int(group >> UInt32(18 - 6 * index)) & 63])
            }
            text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - held))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
