// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

@testable import WeirCommand

/// Writes a tree as a document, in one of the many ways that TOML allows.
struct TOMLWriter {
    var maker: TOMLTreeMaker
    private(set) var text = ""

    init(_ maker: TOMLTreeMaker) { self.maker = maker }

    /// Writes the pairs of a table, then its sections; `path` is the table's own path.
    mutating func write(_ table: [String: TOMLTree], path: [String] = []) {
        var sections: [(key: String, value: TOMLTree)] = []
        for (key, value) in table.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .list(let list) where Self.isSections(list) && self.maker.number(0...1) == 0:
                sections.append((key, value))
            case .table(let inner) where self.maker.number(0...2) == 0:
                self.dotted(inner, path: [key])
            case .table where self.maker.number(0...1) == 0: sections.append((key, value))
            default: self.pair([key], value)
            }
        }
        for (key, value) in sections {
            switch value {
            case .table(let inner):
                self.line("[\(self.blank())\(self.path(path + [key]))\(self.blank())]")
                self.write(inner, path: path + [key])
            case .list(let elements):
                for case .table(let inner) in elements {
                    self.line("[[\(self.path(path + [key]))]]")
                    self.write(inner, path: path + [key])
                }
            default: break
            }
        }
    }

    private static func isSections(_ list: [TOMLTree]) -> Bool {
        !list.isEmpty
            && list.allSatisfy { element in
                if case .table = element { true } else { false }
            }
    }

    /// Writes a table with dotted keys; an empty table gets braces.
    private mutating func dotted(_ table: [String: TOMLTree], path: [String]) {
        guard !table.isEmpty else { return self.pair(path, .table(table)) }
        for (key, value) in table.sorted(by: { $0.key < $1.key }) { self.pair(path + [key], value) }
    }

    private mutating func pair(_ path: [String], _ value: TOMLTree) {
        self.line(
            "\(self.path(path))\(self.blank())=\(self.blank())\(self.value(value, isLong: true))"
        )
    }

    private mutating func line(_ line: String) {
        self.text += self.maker.pick(["", "", "\n", "  ", "# [x] \"\n"]) + line
        self.text += self.maker.pick(["\n", "\r\n", " # a = 'b\n", "\t\n"])
    }

    private mutating func blank() -> String { self.maker.pick(["", " ", " ", "\t "]) }

    private mutating func path(_ path: [String]) -> String {
        let dot = self.maker.pick([".", ".", " . "])
        return path.map { self.key($0) }.joined(separator: dot)
    }

    private mutating func key(_ key: String) -> String {
        if ConfiguredSource.isName(key), self.maker.number(0...3) > 0 { return key }
        return self.maker.number(0...2) == 0 && Self.isLiteral(key) ? "'\(key)'" : self.basic(key)
    }

    /// Whether a text can be in single quotes.
    private static func isLiteral(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\t" || ($0.value >= 0x20 && $0.value != 0x7F) }
            && !text.contains("'")
    }

    /// A value as text; `isLong` allows several lines, which braces do not.
    private mutating func value(_ value: TOMLTree, isLong: Bool) -> String {
        switch value {
        case .text(let text): return self.string(text, isLong: isLong)
        case .integer(let integer): return self.integer(integer)
        case .float(let float): return "\(float)"
        case .boolean(let boolean): return "\(boolean)"
        case .list(let list): return self.list(list, isLong: isLong)
        case .table(let table):
            let pairs = table.map {
                "\(self.key($0.key)) = \(self.value($0.value, isLong: false))"
            }
            return "{\(self.blank())\(pairs.joined(separator: ", "))\(self.blank())}"
        }
    }

    private mutating func list(_ list: [TOMLTree], isLong: Bool) -> String {
        let fill = isLong ? self.maker.pick(["", "\n  ", " # ]\n"]) : ""
        let comma = !list.isEmpty && self.maker.number(0...2) == 0 ? "," : ""
        let values = list.map { "\(fill)\(self.value($0, isLong: isLong))\(fill)" }
        return "[\(values.joined(separator: ","))\(comma)\(fill)]"
    }

    private mutating func integer(_ integer: Int) -> String {
        guard integer >= 0 else { return "\(integer)" }
        return switch self.maker.number(0...4) {
        case 0: "0x\(String(integer, radix: 16))"
        case 1: "0o\(String(integer, radix: 8))"
        case 2: "0b\(String(integer, radix: 2))"
        case 3: "+\(integer)"
        default: "\(integer)".map(String.init).joined(separator: "_")
        }
    }

    private mutating func string(_ text: String, isLong: Bool) -> String {
        switch self.maker.number(0...3) {
        case 0 where Self.isLiteral(text): return "'\(text)'"
        case 1 where isLong:
            let body = self.basic(text).dropFirst().dropLast()
            // A line end replaces `\n`, unless the text has a backslash: `\n` may then be the end of an escaped
            // `\\n`.
            let lines =
                text.contains("\\") ? String(body) : String(body).replacing("\\n", with: "\n")
            return "\"\"\"\n\(lines)\\\n  \n \"\"\""
        case 2
        where isLong && Self.isLiteral(text.replacing("'", with: "").replacing("\n", with: ""))
            && !text.contains("'''") && !text.hasSuffix("'"):
            return "'''\n\(text)'''"
        default: return self.basic(text)
        }
    }

    /// A basic string, with more escapes than it needs.
    private mutating func basic(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            if self.maker.number(0...9) == 0 {
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U\(String(repeating: "0", count: 8 - digits.count))\(digits)"
            } else {
                quoted += StationList.quoted(String(scalar)).dropFirst().dropLast()
            }
        }
        return "\"\(quoted)\""
    }
}
