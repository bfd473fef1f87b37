// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// Names and values in the form `application/x-www-form-urlencoded` (RFC 6749 appendix B).
///
/// A blank is written as `%20`, which every parser accepts, in a query and in a body.
struct FormBody: Sendable {
    /// The body's `Content-Type`.
    static let mediaType = "application/x-www-form-urlencoded"

    /// The text so far: `name=value&name=value`.
    ///
    /// It may hold secrets and must not be shown.
    private(set) var text = ""

    /// Creates an empty body.
    init() {}

    /// Creates a body of pairs, in their order; pairs without a value are left out.
    init(_ pairs: [(name: String, value: String?)]) {
        for (name, value) in pairs {
            if let value { self.append(name, value) }
        }
    }

    /// The body's bytes.
    var bytes: [UInt8] { Array(self.text.utf8) }

    /// Appends a pair.
    mutating func append(_ name: String, _ value: String) {
        if !self.text.isEmpty { self.text += "&" }
        self.text += "\(PercentCoding.component(name))=\(PercentCoding.component(value))"
    }
}

extension FormBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length only; the body may hold secrets.
    var description: String { "FormBody(\(self.text.utf8.count) bytes)" }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Empty.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension FormBody {
    /// Reads any text as `application/x-www-form-urlencoded`, and returns decoded pairs in their order.
    ///
    /// A part without `=` is a name with an empty value. Decoded bytes that are not UTF-8 become U+FFFD. A percent
    /// sign without two hexadecimal digits stays.
    static func pairs(in query: some StringProtocol) -> [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { part[part.index(after: $0)...] } ?? part[part.endIndex...]
            return (Self.decoded(part[..<(equals ?? part.endIndex)]), Self.decoded(value))
        }
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return PercentCoding.decoded(String(decoding: spaced, as: UTF8.self))
    }
}
