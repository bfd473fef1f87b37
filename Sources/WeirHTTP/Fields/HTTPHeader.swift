// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// One header field: a name and a value.
///
/// Two fields with the same name and value are equal.
public struct HTTPHeader: Hashable, Sendable {
    /// The name, as written.
    public let name: String
    /// The value, without blanks around it.
    public let value: String
    /// The source of the value, if known: the name of a variable, a file or an option.
    ///
    /// A request does not contain the source. The message to the user about a refused credential
    /// names it.
    package private(set) var place: String?

    /// Checks and stores a field of a request.
    ///
    /// - Parameters:
    ///   - name: a token (RFC 9110 §5.1).
    ///   - value: a text without control characters except the tab (§5.5), so that it cannot hide a
    ///     second field.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`; the message does not repeat the
    ///   value.
    public init(name: String, value: String) throws(SourceError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
            throw SourceError(
                .invalidRequest,
                "The name of a header holds a character that no header name may hold; write the header"
                    + " as 'Name: value'."
            )
        }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw SourceError(
                .invalidRequest,
                "The value of the header \(name) holds a line end or another control character; give it"
                    + " as one line."
            )
        }
        self.init(received: name, value)
    }

    /// Reads `Name: value`.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`; the message does not repeat the
    ///   text, which may be a credential.
    public init(parsing text: String) throws(SourceError) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw SourceError(
                .invalidRequest,
                "A header was given without a colon between its name and its value; write it as"
                    + " 'Name: value'."
            )
        }
        let name = Self.trimmed(text[..<colon])
        guard !name.isEmpty else {
            throw SourceError(
                .invalidRequest,
                "A header was given without a name before its colon; write it as 'Name: value'."
            )
        }
        try self.init(
            name: String(name),
            value: String(Self.trimmed(text[text.utf8.index(after: colon)...]))
        )
    }

    /// The field with the source of its value.
    package func read(in place: String?) -> HTTPHeader {
        var header = self
        header.place = place
        return header
    }

    /// Creates a field of a response from the text that the transport has parsed; checks nothing.
    init(received name: String, _ value: String) {
        self.name = name
        self.value = String(Self.trimmed(value[...]))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first.isBlank { text.removeFirst() }
        while let last = text.utf8.last, last.isBlank { text.removeLast() }
        return text
    }

    /// Compares name and value.
    public static func == (left: HTTPHeader, right: HTTPHeader) -> Bool {
        left.name == right.name && left.value == right.value
    }

    /// Hashes name and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.name)
        hasher.combine(self.value)
    }

    /// Whether the field has the given name; upper and lower case are equal (RFC 9110 §5.1).
    func isNamed(_ name: String) -> Bool {
        guard self.name.utf8.count == name.utf8.count else { return false }
        return zip(self.name.utf8, name.utf8).allSatisfy { Self.lowered($0) == Self.lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension HTTPHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name without the value, which may be a credential.
    public var description: String { "\(self.name): …" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Only the name.
    public var customMirror: Mirror { Mirror(self, children: ["name": self.name]) }
}
