// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

@testable import WeirCommand

/// A TOML value that tests can compare, make at random, and write in many ways.
indirect enum TOMLTree: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case list([TOMLTree])
    case table([String: TOMLTree])

    init(_ value: TOMLValue) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .integer(let integer): .integer(integer)
            case .float(let float): .float(float)
            case .boolean(let boolean): .boolean(boolean)
            case .list(let list): .list(list.map(Self.init))
            case .table(let table): Self(table)
            case .sections(let sections): .list(sections.tables.map(Self.init))
            }
    }

    init(_ table: TOMLTable) {
        self = .table(table.entries.mapValues { Self($0.value) })
    }

    static func read(_ text: String) throws(TOMLError) -> Self {
        Self(try TOMLReader.read(text))
    }
}

/// Makes trees at random.
struct TOMLTreeMaker {
    var generator: SeededGenerator

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self.generator)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self.generator)
    }

    mutating func key() -> String {
        self.pick([
            "a", "b", "c", "url", "x-1", "_", "007", "true", "a.b", "é", "", " ", "\"'", "\n",
        ])
    }

    mutating func text() -> String {
        let pieces = [
            "a", " ", "\"", "'", "\"\"\"", "'''", "\\", "\n", "\t", "\r", "#", "=", "[x]", "é",
            "\u{1F600}", "\u{1B}", "\u{7F}", "\u{2028}", "\u{FEFF}",
        ]
        return (0..<self.number(0...6)).map { _ in self.pick(pieces) }.joined()
    }

    mutating func value(depth: Int) -> TOMLTree {
        switch self.number(0...(depth > 0 ? 8 : 5)) {
        case 0, 1: .text(self.text())
        case 2: .integer(self.pick([0, 1, -1, 4747, 1_000_000, .max, .min]))
        case 3: .float(self.pick([0, 0.5, -1.25, 1e300, 2.5e-300, 123.456]))
        case 4, 5: .boolean(self.number(0...1) == 0)
        case 6: .list((0..<self.number(0...3)).map { _ in self.value(depth: depth - 1) })
        case 7: .list((0..<self.number(1...3)).map { _ in self.table(depth: depth - 1) })
        default: self.table(depth: depth - 1)
        }
    }

    mutating func table(depth: Int) -> TOMLTree {
        var table: [String: TOMLTree] = [:]
        for _ in 0..<self.number(0...4) { table[self.key()] = self.value(depth: depth) }
        return .table(table)
    }
}
