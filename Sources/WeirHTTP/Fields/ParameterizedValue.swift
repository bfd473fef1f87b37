// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A field value with parameters: `multipart/byteranges; boundary="a b"` (RFC 9110 §5.6.6).
struct ParameterizedValue {
    /// The text before the first semicolon, in lower case, without blanks around it.
    let value: String
    /// The parameters: names in lower case, values without quotes.
    ///
    /// If a name occurs more than once, its first value counts.
    let parameters: [String: String]

    init(_ text: String) {
        var rest = text.utf8[...]
        self.value = Self.text(Self.trimmed(rest.prefix { $0 != UInt8(ascii: ";") })).lowercased()
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        var parameters: [String: String] = [:]
        while rest.popFirst() != nil {
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            while let first = rest.first, first.isBlank { rest.removeFirst() }
            let value: String
            if rest.first == UInt8(ascii: "\"") {
                value = Self.quotedString(&rest)
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            } else {
                let raw = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest[raw.endIndex...]
                value = Self.text(Self.trimmed(raw))
            }
            let key = Self.text(Self.trimmed(name)).lowercased()
            if !key.isEmpty, parameters[key] == nil { parameters[key] = value }
        }
        self.parameters = parameters
    }

    /// Reads a quoted string; a backslash escapes the byte after it (§5.6.4).
    private static func quotedString(_ rest: inout Substring.UTF8View) -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let first = text.first, first.isBlank { text.removeFirst() }
        while let last = text.last, last.isBlank { text.removeLast() }
        return text
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

extension ParameterizedValue {
    /// The file name in a `Content-Disposition` field (RFC 6266 §4.3), cleaned for use as a file
    /// name.
    ///
    /// `filename*` takes precedence over `filename`.
    var fileName: String? {
        if let extended = self.parameters["filename*"].flatMap(Self.extendedValue),
            let name = FileName.cleaned(extended)
        {
            return name
        }
        return self.parameters["filename"].flatMap { FileName.cleaned($0) }
    }

    /// Decodes `UTF-8'en'%e2%82%ac%20rates` (RFC 8187 §3.2).
    ///
    /// `nil` for text of another form or with invalid UTF-8, and for character sets other than
    /// UTF-8 and ISO-8859-1.
    private static func extendedValue(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentCoding.decodedBytes(parts[2])
        switch parts[0].lowercased() {
        case "utf-8":
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var scalars = String.UnicodeScalarView()
            for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
            return String(scalars)
        default:
            return nil
        }
    }
}
