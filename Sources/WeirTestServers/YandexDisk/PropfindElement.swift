// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An element of a small XML document, without its text and its attributes.
///
/// It covers enough of XML 1.0 and of its namespaces to read a WebDAV request: no document type,
/// and only the five predefined entities.
struct PropfindElement: Sendable {
    var name: PropertyName
    var children: [PropfindElement] = []

    private static let depthLimit = 16

    /// Reads a document.
    ///
    /// - Throws: ``ServerError`` with a sentence.
    init(document: String) throws(ServerError) {
        var rest = document[...]
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        try Self.skipProlog(&rest)
        self = try Self.element(&rest, spaces: [:], depth: 0)
        try Self.skipProlog(&rest)
        guard rest.isEmpty else { throw .malformedXML("more follows its root element") }
    }

    private init(name: PropertyName) { self.name = name }

    private static func skipProlog(_ rest: inout Substring) throws(ServerError) {
        while true {
            rest = rest.drop(while: \.isWhitespace)
            if rest.hasPrefix("<?") {
                try self.skip(&rest, past: "?>")
            } else if rest.hasPrefix("<!--") {
                try self.skip(&rest, past: "-->")
            } else {
                return
            }
        }
    }

    private static func skip(_ rest: inout Substring, past end: String) throws(ServerError) {
        guard let range = rest.firstRange(of: end) else {
            throw .malformedXML("\(end) is missing")
        }
        rest = rest[range.upperBound...]
    }

    private static func element(
        _ rest: inout Substring,
        spaces: [String: String],
        depth: Int
    ) throws(ServerError) -> PropfindElement {
        guard depth < self.depthLimit else { throw .malformedXML("it is too deep") }
        guard rest.first == "<", let close = rest.firstIndex(of: ">") else {
            throw .malformedXML("an element is missing")
        }
        var tag = rest[rest.index(after: rest.startIndex)..<close]
        rest = rest[rest.index(after: close)...]
        let isEmpty = tag.last == "/"
        if isEmpty { tag.removeLast() }
        let written = String(self.cutName(&tag))
        let spaces = try self.spaces(&tag, in: spaces)
        var element = PropfindElement(name: try self.name(written, in: spaces))
        guard !isEmpty else { return element }
        while true {
            rest = rest.drop { $0 != "<" }
            if rest.hasPrefix("<!--") {
                try self.skip(&rest, past: "-->")
            } else if rest.hasPrefix("</") {
                let end = rest.prefix { $0 != ">" }.dropFirst(2)
                guard String(end.prefix { !$0.isWhitespace }) == written else {
                    throw .malformedXML("\(written) ends with \(end)")
                }
                try self.skip(&rest, past: ">")
                return element
            } else {
                element.children.append(
                    try self.element(&rest, spaces: spaces, depth: depth + 1)
                )
            }
        }
    }

    /// Reads the attributes of a tag; only namespace declarations count.
    private static func spaces(
        _ tag: inout Substring,
        in outer: [String: String]
    ) throws(ServerError) -> [String: String] {
        var spaces = outer
        tag = tag.drop(while: \.isWhitespace)
        while !tag.isEmpty {
            let name = self.cutName(&tag)
            tag = tag.drop(while: \.isWhitespace)
            guard !name.isEmpty, tag.popFirst() == "=" else {
                throw .malformedXML("an attribute has no value")
            }
            tag = tag.drop(while: \.isWhitespace)
            guard let quote = tag.popFirst(), quote == "\"" || quote == "'",
                let end = tag.firstIndex(of: quote)
            else { throw .malformedXML("an attribute has no quotes") }
            let value = String(tag[..<end]).unescapedFromXML
            tag = tag[tag.index(after: end)...].drop(while: \.isWhitespace)
            if name == "xmlns" { spaces[""] = value }
            if name.hasPrefix("xmlns:") { spaces[String(name.dropFirst(6))] = value }
        }
        return spaces
    }

    private static func cutName(_ tag: inout Substring) -> Substring {
        let name = tag.prefix {
            $0.isLetter || $0.isNumber || "_-.:".contains($0)
        }
        tag = tag[name.endIndex...]
        return name
    }

    private static func name(
        _ written: String,
        in spaces: [String: String]
    ) throws(ServerError) -> PropertyName {
        let parts = written.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let name = parts.last, let first = name.first,
            first.isLetter || first == "_"
        else { throw .malformedXML("\(written) is not a name") }
        let prefix = parts.count == 2 ? String(parts[0]) : ""
        guard let space = spaces[prefix] ?? (prefix.isEmpty ? "" : nil) else {
            throw .malformedXML("the prefix \(prefix) is not declared")
        }
        return PropertyName(space: space, name: String(name))
    }
}

extension ServerError {
    fileprivate static func malformedXML(_ problem: String) -> ServerError {
        .violation("The body of a PROPFIND is not XML: \(problem).")
    }
}

/// The name of a property: its namespace, and its name in that namespace.
struct PropertyName: Sendable, Hashable {
    var space: String
    var name: String

    /// A name in the namespace `DAV:`.
    static func dav(_ name: String) -> PropertyName { PropertyName(space: "DAV:", name: name) }

    /// The element of that name in an answer, with its content or empty.
    func element(_ content: String = "") -> String {
        let (start, end) =
            self.space == "DAV:"
            ? ("d:\(self.name)", "d:\(self.name)")
            : ("x:\(self.name) xmlns:x=\"\(self.space.escapedForXML)\"", "x:\(self.name)")
        return content.isEmpty ? "<\(start)/>" : "<\(start)>\(content)</\(end)>"
    }
}
