// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TOMLKit

/// A section of the configuration, read key by key with errors that say where and what was expected.
///
/// Errors name keys and never repeat values, which may be secrets.
struct ConfigurationTable {
    /// The section's own path: empty for the top of the file.
    let path: [String]
    let text: ConfigurationText

    private let table: TOMLTable

    init(_ table: TOMLTable, path: [String], in text: ConfigurationText) {
        self.table = table
        self.path = path
        self.text = text
    }

    /// The keys, in alphabetical order.
    var keys: [String] { self.table.keys.sorted() }

    /// Whether there is a key.
    func has(_ key: String) -> Bool { self.table[key] != nil }

    /// An error at a key of this section: `sources.nas.url` and what is said of it.
    func failure(_ key: String, _ what: String) -> CommandError {
        let path = self.path + [key]
        return self.text.failure(at: path, "\(path.joined(separator: ".")) \(what)")
    }

    /// A text; `expected` ends the sentence `KEY must be …`.
    func string(
        _ key: String,
        _ expected: String = "a text in quotes"
    ) throws(CommandError) -> String? {
        guard let node = self.table[key] else { return nil }
        guard let value = node.string, !value.isEmpty else {
            throw self.failure(key, "must be \(expected).")
        }
        return value
    }

    /// A list of texts.
    func strings(_ key: String, _ expected: String) throws(CommandError) -> [String]? {
        guard let node = self.table[key] else { return nil }
        guard let array = node.array else { throw self.failure(key, "must be \(expected).") }
        var values: [String] = []
        for index in 0..<array.count {
            guard let value = array[index].string, !value.isEmpty else {
                throw self.failure(key, "must be \(expected).")
            }
            values.append(value)
        }
        return values
    }

    /// `true` or `false`.
    func boolean(_ key: String) throws(CommandError) -> Bool? {
        guard let node = self.table[key] else { return nil }
        guard let value = node.bool else {
            throw self.failure(key, "must be true or false, without quotes.")
        }
        return value
    }

    /// A whole number.
    func integer(_ key: String, _ expected: String) throws(CommandError) -> Int? {
        guard let node = self.table[key] else { return nil }
        guard let value = node.int else { throw self.failure(key, "must be \(expected).") }
        return value
    }

    /// A value that an option of the command line takes; a number may stand without quotes.
    func option<Value: ExpressibleByArgument>(
        _ key: String,
        as type: Value.Type,
        _ expected: String
    ) throws(CommandError) -> Value? {
        guard let node = self.table[key] else { return nil }
        let text = node.string ?? node.int.map(String.init)
        guard let text, let value = Value(argument: text) else {
            throw self.failure(key, "must be \(expected).")
        }
        return value
    }

    /// A section below this one.
    func section(_ key: String) throws(CommandError) -> ConfigurationTable? {
        guard let node = self.table[key] else { return nil }
        let path = self.path + [key]
        guard let table = node.table else {
            throw self.failure(key, "must be a section, [\(path.joined(separator: "."))].")
        }
        return ConfigurationTable(table, path: path, in: self.text)
    }

    /// Refuses keys that nobody reads.
    func allow(only known: [String]) throws(CommandError) {
        for key in self.keys where !known.contains(key) {
            let nearest = Nearest.name(to: key, among: known)
            let advice =
                nearest.map { "did you mean \($0)?" }
                ?? "what can stand here is \(known.joined(separator: ", "))."
            throw self.failure(key, "means nothing; \(advice)")
        }
    }

    /// Refuses two keys that say the same thing in two ways.
    func refuseSeveral(of keys: [String]) throws(CommandError) {
        let given = keys.filter(self.has)
        guard given.count > 1 else { return }
        throw self.failure(given[1], "contradicts \(given[0]); leave one of them out.")
    }

    /// Refuses keys that have no sense without another, or beside it.
    func refuse(_ keys: [String], because reason: String) throws(CommandError) {
        for key in keys where self.has(key) { throw self.failure(key, reason) }
    }
}
