// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Names and values as `application/x-www-form-urlencoded` writes them (RFC 6749 appendix B).
///
/// A blank is written as `%20`, which every reader takes for one, in a query as in a body.
struct FormBody: Sendable {
    /// What the body's `Content-Type` says.
    static let mediaType = "application/x-www-form-urlencoded"

    /// The text so far: `name=value&name=value`.
    ///
    /// It may hold secrets and is not for showing.
    private(set) var text = ""

    /// An empty body.
    init() {}

    /// A body of pairs, in their order; those without a value are left out.
    init(_ pairs: [(name: String, value: String?)]) {
        for (name, value) in pairs {
            if let value { self.append(name, value) }
        }
    }

    /// The body's bytes.
    var bytes: [UInt8] { Array(self.text.utf8) }

    /// Writes one pair more.
    mutating func append(_ name: String, _ value: String) {
        if !self.text.isEmpty { self.text += "&" }
        self.text += "\(Self.encoded(name))=\(Self.encoded(value))"
    }

    /// The text with all bytes percent-encoded but those that no part of a URL minds (RFC 3986 §2.3).
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if Self.isUnreserved(byte) {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Whether a byte is a letter, a digit, `-`, `.`, `_` or `~`.
    static func isUnreserved(_ byte: UInt8) -> Bool {
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

extension FormBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How long it is; what it holds may be a secret.
    var description: String { "FormBody(\(self.text.utf8.count) bytes)" }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Nothing.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
