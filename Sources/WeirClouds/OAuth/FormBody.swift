// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

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
        self.text += "\(PercentCoding.component(name))=\(PercentCoding.component(value))"
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

extension FormBody {
    /// Reads a query as `application/x-www-form-urlencoded`: any text gives decoded pairs, in their order.
    ///
    /// A part without `=` is a name with an empty value.
    /// What is not UTF-8 when decoded is replaced by U+FFFD, a percent sign without two hexadecimal
    /// digits stays.
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
