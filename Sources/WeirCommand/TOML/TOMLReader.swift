// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads TOML 1.0 without dates, times, `inf` and `nan`; § names the clauses of that specification.
struct TOMLReader {
    /// The longest text, in bytes.
    static let longest = 1 << 20
    /// How deep tables and lists may be nested.
    static let deepest = 128

    private let bytes: [UInt8]
    private(set) var index = 0
    private(set) var here = TextPosition.start

    /// Reads a text, which may have a byte order mark, and returns the table at its top.
    static func read(_ text: String) throws(TOMLError) -> TOMLTable {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(Self.longest + 1) {
            if byte == UInt8(ascii: "\n"), bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            bytes.append(byte)
        }
        var reader = TOMLReader(bytes: bytes)
        guard text.utf8.count <= Self.longest else {
            throw reader.error("this text is longer than 1 MiB; remove a part of it.")
        }
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        return try reader.document()
    }

    private mutating func document() throws(TOMLError) -> TOMLTable {
        let root = TOMLTable(.header, depth: 0)
        var table = root
        while true {
            self.skipBlanks()
            switch self.next {
            case nil: return root
            case "#", "\n": break
            case "[": table = try self.section(in: root)
            default: try self.pair(in: table)
            }
            try self.endLine()
        }
    }

    /// Reads `[name]` or `[[name]]` (§Table, §Array of Tables) and returns the table for the pairs
    /// below.
    private mutating func section(in root: TOMLTable) throws(TOMLError) -> TOMLTable {
        let start = self.here
        self.advance()
        let isElement = self.next == "["
        if isElement { self.advance() }
        self.skipBlanks()
        guard self.isAtKey else {
            throw self.error("this section has no name; write it as [sources.NAME].", at: start)
        }
        let path = try self.key()
        for _ in 0..<(isElement ? 2 : 1) {
            guard self.next == "]" else {
                throw self.error("the name of the section has no ] after it.")
            }
            self.advance()
        }
        let table = try self.table(of: path, from: root, .implied, start)
        let name = path[path.count - 1]
        switch table[name] {
        case nil:
            let section = table.add(.header, name, start)
            if isElement { table.entries[name]?.value = .sections(TOMLSections(section)) }
            return section
        case .sections(let sections)? where isElement:
            sections.tables.append(TOMLTable(.header, depth: table.depth + 1))
            return sections.last
        case .table(let section)? where !isElement && section.origin == .implied:
            section.origin = .header
            table.entries[name]?.position = start
            return section
        default: throw self.repeated(name, of: table, start)
        }
    }

    /// `key = value` (§Key/Value Pair).
    mutating func pair(in table: TOMLTable) throws(TOMLError) {
        let start = self.here
        let path = try self.key()
        guard self.next == "=" else {
            throw self.error("the key has no = after it; write it as keep = \"whole\".")
        }
        self.advance()
        self.skipBlanks()
        let table = try self.table(of: path, from: table, .dotted, start)
        let name = path[path.count - 1]
        guard table[name] == nil else { throw self.repeated(name, of: table, start) }
        table.entries[name] = (try self.value(depth: table.depth + 1), start)
    }

    /// Finds or makes the table that contains the last part of a path.
    ///
    /// `origin` is `implied` for the path of a section, and `dotted` for the path of a pair.
    private func table(
        of path: [String],
        from table: TOMLTable,
        _ origin: TOMLTable.Origin,
        _ start: TextPosition
    ) throws(TOMLError) -> TOMLTable {
        _ = try self.checked(table.depth + path.count - 1)
        var table = table
        for name in path.dropLast() {
            switch table[name] {
            case nil: table = table.add(origin, name, start)
            case .sections(let sections)? where origin == .implied: table = sections.last
            case .table(let inner)? where origin == .implied && inner.origin != .inline:
                table = inner
            case .table(let inner)? where inner.origin == .implied || inner.origin == .dotted:
                // A later header for this table would be a second definition.
                inner.origin = .dotted
                table = inner
            default: throw self.repeated(name, of: table, start)
            }
        }
        return table
    }

    /// Returns a depth that is within the limit; throws for a deeper one.
    func checked(_ depth: Int) throws(TOMLError) -> Int {
        guard depth <= Self.deepest else {
            throw self.error("sections and lists are nested too deep; remove some.")
        }
        return depth
    }

    private func repeated(_ name: String, of table: TOMLTable, _ start: TextPosition) -> TOMLError {
        let line = table.entries[name]?.position.line ?? 1
        return self.error("this key is already in line \(line); remove one of the two.", at: start)
    }

    func error(_ sentence: String, at position: TextPosition? = nil) -> TOMLError {
        TOMLError(position: position ?? self.here, sentence: sentence)
    }
}

/// The reader's position, and the ends of lines.
extension TOMLReader {
    /// The current byte as a scalar; a byte beyond ASCII gives a scalar that has no meaning in
    /// TOML.
    var next: Unicode.Scalar? { self.scalar(ahead: 0) }

    /// The text from an index to the current position.
    func text(from first: Int) -> String {
        String(decoding: self.bytes[first..<self.index], as: UTF8.self)
    }

    func scalar(ahead count: Int) -> Unicode.Scalar? {
        let index = self.index + count
        return index < self.bytes.count ? Unicode.Scalar(self.bytes[index]) : nil
    }

    /// Skips `count` bytes and returns the last of them; 0 at the end.
    @discardableResult
    mutating func advance(by count: Int = 1) -> UInt8 {
        guard self.index < self.bytes.count else { return 0 }
        let byte = self.bytes[self.index]
        self.index += 1
        if byte == UInt8(ascii: "\n") {
            self.here = TextPosition(line: self.here.line + 1, column: 1)
        } else if byte & 0xC0 != 0x80 {
            self.here.column += 1
        }
        return count > 1 ? self.advance(by: count - 1) : byte
    }

    mutating func skipBlanks() {
        while self.next == " " || self.next == "\t" { self.advance() }
    }

    /// Skips the end of a line, if the current byte is one.
    mutating func skipLineEnd() -> Bool {
        guard self.next == "\n" else { return false }
        self.advance()
        return true
    }

    mutating func skipComment() throws(TOMLError) {
        guard self.next == "#" else { return }
        while let next = self.next, next != "\n" {
            try self.refuseControl()
            self.advance()
        }
    }

    /// Refuses a current byte that is a control character other than a tab.
    func refuseControl() throws(TOMLError) {
        guard let next = self.next?.value, next < 0x20 || next == 0x7F, next != 9 else { return }
        throw self.error("this control character cannot be here; remove it.")
    }

    /// Skips blanks, a comment, and the end of the line or of the text.
    private mutating func endLine() throws(TOMLError) {
        self.skipBlanks()
        try self.skipComment()
        guard !self.skipLineEnd(), self.next != nil else { return }
        try self.refuseControl()
        throw self.error("the line must end here; write each key on a line of its own.")
    }
}
