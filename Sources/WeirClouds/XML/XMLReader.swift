// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the elements of an XML document, one event after the other.
///
/// The platform's parser refuses listings of real servers: more than 10 MB, a namespace with a
/// relative name, an undeclared prefix, a blank line before `<?xml`. This reader accepts them. It
/// refuses a document that is cut off, wrongly nested, or has a document type, whose entities could
/// expand without limit.
///
/// Text is returned as bytes, since a name in it need not be valid UTF-8. Attributes other than
/// `xmlns` are skipped.
struct XMLReader {
    /// An element's name (Namespaces in XML 1.0 §5).
    struct Name: Hashable {
        /// The namespace; `nil` if there is none, and for an undeclared prefix.
        var namespace: String?
        var local: String
    }

    /// A part of the document.
    enum Event: Hashable {
        case started(Name)
        /// Text of the innermost element; it may come in several pieces.
        case text([UInt8])
        case ended
    }

    /// Why, and where, a document is refused.
    struct Failure: Error, Hashable {
        enum Reason: Hashable {
            case malformed
            case cutOff
            case documentType
            case tooDeep
            case tooManyNamespaces
        }

        var reason: Reason
        /// The byte offset in the document as UTF-8.
        var offset: Int
    }

    private struct Open {
        /// The name as written, with its prefix.
        var name: ArraySlice<UInt8>
        /// How many namespaces were declared outside of the element.
        var declarationCount: Int
    }

    /// The limit of declared namespaces at one position, since each name is looked up among them.
    private static let mostNamespaces = 64

    private let bytes: [UInt8]
    private let deepest: Int
    private var index = 0
    private var open: [Open] = []
    private var declarations: [(prefix: ArraySlice<UInt8>, namespace: String)] = []
    private var hasRoot = false
    /// Whether the last started element is empty: `<a/>`.
    private var isEmpty = false

    /// Creates a reader of a document in UTF-8, UTF-16, ISO-8859-1 or Windows-1251 or -1252.
    ///
    /// - Parameters:
    ///   - document: the bytes.
    ///   - deepest: how many elements may be nested.
    init(_ document: [UInt8], deepest: Int) {
        self.bytes = XMLEncoding.utf8(document)
        self.deepest = deepest
    }

    /// The next event; `nil` after the last.
    mutating func next() throws(Failure) -> Event? {
        if self.isEmpty {
            self.isEmpty = false
            return self.close()
        }
        while self.index < self.bytes.count {
            if self.bytes[self.index] != UInt8(ascii: "<") {
                if let text = try self.text() { return .text(text) }
            } else if self.isNext("<!--") {
                try self.skip(past: "-->", from: 4)
            } else if self.isNext("<?") {
                try self.skip(past: "?>", from: 2)
            } else if self.isNext("<![CDATA["), !self.open.isEmpty {
                let start = self.index + 9
                try self.skip(past: "]]>", from: 9)
                return .text(Array(self.bytes[start..<self.index - 3]))
            } else if self.isNext("<!") {
                throw self.failure(.documentType)
            } else if self.isNext("</") {
                return try self.end()
            } else {
                return .started(try self.start())
            }
        }
        guard self.open.isEmpty, self.hasRoot else { throw self.failure(.cutOff) }
        return nil
    }

    private func failure(_ reason: Failure.Reason) -> Failure {
        Failure(reason: reason, offset: self.index)
    }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { self.bytes[self.index...].starts(with: $0) }
    }

    private mutating func skip(past mark: StaticString, from offset: Int) throws(Failure) {
        let rest = self.bytes[min(self.index + offset, self.bytes.count)...]
        let end = mark.withUTF8Buffer { mark -> Int? in
            var rest = rest
            while let first = rest.firstIndex(of: mark[0]) {
                rest = rest[first...]
                if rest.starts(with: mark) { return first + mark.count }
                rest = rest.dropFirst()
            }
            return nil
        }
        guard let end else { throw self.failure(.cutOff) }
        self.index = end
    }

    /// The text up to the next tag; `nil` for white space outside of the elements.
    private mutating func text() throws(Failure) -> [UInt8]? {
        let rest = self.bytes[self.index...]
        let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
        let text = rest[..<end]
        if self.open.isEmpty {
            guard text.allSatisfy(Self.isSpace) else { throw self.failure(.malformed) }
            self.index = end
            return nil
        }
        let unescaped = try self.unescaped(text)
        self.index = end
        return unescaped
    }

    // MARK: Tags

    private mutating func start() throws(Failure) -> Name {
        guard !self.hasRoot || !self.open.isEmpty else { throw self.failure(.malformed) }
        guard self.open.count < self.deepest else { throw self.failure(.tooDeep) }
        self.index += 1
        let name = try self.name()
        self.open.append(Open(name: name, declarationCount: self.declarations.count))
        self.hasRoot = true
        while true {
            self.skipBlanks()
            guard self.index < self.bytes.count else { throw self.failure(.cutOff) }
            if self.isNext(">") {
                self.index += 1
                break
            }
            if self.isNext("/>") {
                self.index += 2
                self.isEmpty = true
                break
            }
            try self.attribute()
        }
        return self.resolved(name)
    }

    private mutating func attribute() throws(Failure) {
        let name = try self.name()
        self.skipBlanks()
        guard self.isNext("=") else { throw self.failure(.malformed) }
        self.index += 1
        self.skipBlanks()
        guard self.isNext("\"") || self.isNext("'") else { throw self.failure(.malformed) }
        let start = self.index + 1
        let quote = self.bytes[self.index]
        guard let end = self.bytes[start...].firstIndex(of: quote) else {
            throw self.failure(.cutOff)
        }
        let value = self.bytes[start..<end]
        guard !value.contains(UInt8(ascii: "<")) else { throw self.failure(.malformed) }
        self.index = end + 1
        guard name.starts(with: "xmlns".utf8) else { return }
        let prefix = name.dropFirst(5)
        guard prefix.isEmpty || prefix.first == UInt8(ascii: ":") else { return }
        guard self.declarations.count < Self.mostNamespaces else {
            throw self.failure(.tooManyNamespaces)
        }
        let namespace = String(decoding: try self.unescaped(value), as: UTF8.self)
        self.declarations.append((prefix.dropFirst(), namespace))
    }

    private mutating func end() throws(Failure) -> Event {
        self.index += 2
        let name = try self.name()
        self.skipBlanks()
        guard self.isNext(">") else {
            throw self.failure(self.index < self.bytes.count ? .malformed : .cutOff)
        }
        guard let opened = self.open.last, opened.name.elementsEqual(name) else {
            throw self.failure(.malformed)
        }
        self.index += 1
        return self.close()
    }

    private mutating func close() -> Event {
        if let opened = self.open.popLast() {
            self.declarations.removeLast(self.declarations.count - opened.declarationCount)
        }
        return .ended
    }

    private mutating func name() throws(Failure) -> ArraySlice<UInt8> {
        let start = self.index
        while self.index < self.bytes.count, Self.isNameByte(self.bytes[self.index]) {
            self.index += 1
        }
        guard start < self.index else {
            throw self.failure(start < self.bytes.count ? .malformed : .cutOff)
        }
        return self.bytes[start..<self.index]
    }

    private func resolved(_ name: ArraySlice<UInt8>) -> Name {
        let colon = name.firstIndex(of: UInt8(ascii: ":"))
        let prefix = colon.map { name[..<$0] } ?? []
        let local = colon.map { name[($0 + 1)...] } ?? name
        let declared = self.declarations.last { $0.prefix.elementsEqual(prefix) }?.namespace
        return Name(
            namespace: declared?.isEmpty == true ? nil : declared,
            local: String(decoding: local, as: UTF8.self)
        )
    }

    private mutating func skipBlanks() {
        while self.index < self.bytes.count, Self.isSpace(self.bytes[self.index]) {
            self.index += 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether a name may hold the byte: neither a delimiter nor an invalid character.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="),
            UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "&"):
            false
        default: true
        }
    }

    // MARK: Character references

    private func unescaped(_ text: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        guard text.contains(UInt8(ascii: "&")) else { return Array(text) }
        var out: [UInt8] = []
        var rest = text
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            out += rest[..<mark]
            rest = rest[(mark + 1)...]
            let name = rest.prefix(12).prefix { $0 != UInt8(ascii: ";") }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let scalar = Self.scalar(String(decoding: name, as: UTF8.self))
            else { throw Failure(reason: .malformed, offset: mark) }
            out += String(Character(scalar)).utf8
            rest = rest[(name.endIndex + 1)...]
        }
        return out + rest
    }

    /// The character of a reference: the five names of XML, and numbers; others cannot be declared.
    private static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }
}
