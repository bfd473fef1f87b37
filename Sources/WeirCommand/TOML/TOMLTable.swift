// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A table of a TOML document; the reader fills it, and nothing changes it afterwards.
final class TOMLTable {
    /// How a table was made; this decides whether later lines may add to it.
    enum Origin {
        /// By the header of a section below it; its own header may follow.
        case implied
        /// By its own header.
        case header
        /// By a dotted key, `a.b = 1`; more dotted keys may follow.
        case dotted
        /// In braces; such a table is complete.
        case inline
    }

    var origin: Origin
    /// How many tables and lists contain the table.
    let depth: Int
    /// The values, with the positions of their keys; a section's position is that of its bracket.
    var entries: [String: (value: TOMLValue, position: TextPosition)] = [:]

    init(_ origin: Origin, depth: Int) {
        self.origin = origin
        self.depth = depth
    }

    subscript(key: String) -> TOMLValue? { self.entries[key]?.value }

    /// A new table below this one.
    func add(_ origin: Origin, _ name: String, _ position: TextPosition) -> TOMLTable {
        let table = TOMLTable(origin, depth: self.depth + 1)
        self.entries[name] = (.table(table), position)
        return table
    }
}

/// The tables of `[[name]]`, in their order; at least one.
final class TOMLSections {
    var tables: [TOMLTable]

    init(_ table: TOMLTable) { self.tables = [table] }

    var last: TOMLTable { self.tables[self.tables.count - 1] }
}

/// A value of a TOML document.
enum TOMLValue {
    case text(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case list([TOMLValue])
    case table(TOMLTable)
    case sections(TOMLSections)
}

/// Why and where a text is not TOML; quotes nothing of the text, which may hold secrets.
struct TOMLError: Error, Hashable {
    let position: TextPosition
    let sentence: String
}
