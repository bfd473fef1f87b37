// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Header fields in their order; names are compared without regard to case (RFC 9110 §5.1).
///
/// Its descriptions show only names: values are often credentials.
public struct HTTPHeaderList: Hashable, Sendable {
    /// The fields, in the order in which they were added or received.
    public private(set) var headers: [HTTPHeader]

    /// Creates a list of fields.
    public init(_ headers: [HTTPHeader] = []) {
        self.headers = headers
    }

    /// Creates a list of fields, in alphabetical order of their names.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` for a name or a value that no
    ///   field can have.
    package init(_ fields: [String: String]) throws(SourceError) {
        self.headers = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            self.headers.append(try HTTPHeader(name: name, value: value))
        }
    }

    /// Creates a list of a response's fields from the texts that a transport has parsed; checks
    /// nothing.
    public init(received pairs: some Sequence<(String, String)>) {
        self.headers = pairs.map { HTTPHeader(received: $0.0, $0.1) }
    }

    /// The value of the first field with the given name.
    public subscript(name: String) -> String? { self.first(named: name)?.value }

    /// The first field with the given name.
    package func first(named name: String) -> HTTPHeader? {
        self.headers.first { $0.isNamed(name) }
    }

    /// The values of all fields with the given name.
    public func values(of name: String) -> [String] {
        self.headers.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Whether there is a field with the given name.
    public func contains(_ name: String) -> Bool {
        self.headers.contains { $0.isNamed(name) }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { self.headers.isEmpty }

    /// Adds a field after the others.
    public mutating func append(_ header: HTTPHeader) {
        self.headers.append(header)
    }

    /// Adds fields, and removes existing fields with the same names.
    package mutating func replace(with fields: HTTPHeaderList) {
        self.headers.removeAll { header in fields.headers.contains { header.isNamed($0.name) } }
        self.headers += fields.headers
    }

    /// Adds a field that this module has written, with the source of its value.
    mutating func append(_ name: String, _ value: String, readIn place: String? = nil) {
        self.headers.append(HTTPHeader(received: name, value).read(in: place))
    }

    /// Removes all fields with the given names.
    public mutating func remove(_ names: String...) {
        self.headers.removeAll { header in names.contains { header.isNamed($0) } }
    }

    /// The tokens in the comma-separated lists of all fields with the given name (RFC 9110 §5.6.1).
    ///
    /// The tokens are in lower case and without parameters.
    func tokens(of name: String) -> [String] {
        self.values(of: name).flatMap { value in
            value.split(separator: ",").compactMap { item in
                let token = item.prefix { $0 != ";" }.filter { !$0.isWhitespace }
                return token.isEmpty ? nil : token.lowercased()
            }
        }
    }
}

extension HTTPHeaderList {
    /// Values of `Content-Encoding` that change no byte.
    ///
    /// `aws-chunked` describes an earlier upload to an S3 store. Some servers send the other values
    /// when there is no coding.
    private static let emptyCodings: Set = ["identity", "none", "binary", "utf-8", "aws-chunked"]

    /// The codings that were applied to the bytes (RFC 9110 §8.4), without the values that change
    /// no byte.
    package var contentCodings: [String] {
        self.tokens(of: "Content-Encoding").filter { !Self.emptyCodings.contains($0) }
    }

    /// Reads fields, one `Name: value` each.
    package init(parsing texts: [String]) throws(SourceError) {
        self.init()
        for text in texts { self.append(try HTTPHeader(parsing: text)) }
    }
}

extension HTTPHeaderList: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names.
    public var description: String {
        "[\(self.headers.map(\.name).joined(separator: ", "))]"
    }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Only the names.
    public var customMirror: Mirror {
        Mirror(self, children: ["names": self.headers.map(\.name)])
    }
}
