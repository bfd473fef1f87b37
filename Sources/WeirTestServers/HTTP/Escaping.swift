// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

private let hexadecimalDigits = Array("0123456789ABCDEF".utf8)

extension UInt8 {
    /// RFC 3986 §2.3: whether the byte never needs an escape.
    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(self)
        }
    }
}

/// Percent-encoding by RFC 3986; wrongly encoded input is refused.
extension StringProtocol {
    /// Escapes everything that is not unreserved.
    ///
    /// - Parameter kept: reserved characters that the target of the text allows unescaped.
    /// - Returns: ASCII.
    func escaped(keeping kept: String = "") -> String {
        var bytes: [UInt8] = []
        for byte in self.utf8 {
            if byte.isUnreserved || kept.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                let (high, low) = (Int(byte >> 4), Int(byte & 15))
                bytes += [UInt8(ascii: "%"), hexadecimalDigits[high], hexadecimalDigits[low]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes the escapes of a text, and refuses bytes that should be escaped.
    ///
    /// - Parameters:
    ///   - name: the name of the text in the error's sentence.
    ///   - allowed: the reserved characters that need no escape.
    ///   - isForm: whether a plus is a space (a form) or a mistake (a URL).
    /// - Returns: the decoded text.
    /// - Throws: ``ServerError`` with a sentence.
    func unescaped(
        of name: String,
        allowing allowed: String,
        isForm: Bool = false
    ) throws(ServerError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(self.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Self.hexadecimalDigit),
                    let low = rest.popFirst().flatMap(Self.hexadecimalDigit)
                else { throw .violation("There is a % without two digits in \(name).") }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where isForm:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "+") where !allowed.contains("+"):
                throw .violation("There is an unescaped + in \(name).")
            default:
                guard byte.isUnreserved || allowed.utf8.contains(byte) else {
                    let shown = Unicode.Scalar(byte).escaped(asASCII: true)
                    throw .violation("There is an unescaped \(shown) in \(name).")
                }
                bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .violation("The escaped bytes in \(name) are not UTF-8.")
        }
        return text
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

extension Sequence where Element == UInt8 {
    /// The bytes as lowercase hexadecimal digits.
    var hexadecimal: String {
        var text = ""
        for byte in self {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}
