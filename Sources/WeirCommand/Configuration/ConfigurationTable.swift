// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TOMLKit
import WeirHTTP
import WeirSource

/// A section of the configuration, read key by key with errors that say where and what was expected.
///
/// Errors name keys and never repeat values, which may be secrets.
struct ConfigurationTable {
    /// The section's own path: empty for the top of the file.
    let path: [String]
    let text: ConfigurationText
    let environment: ProgramEnvironment

    private let table: TOMLTable

    private init(
        _ table: TOMLTable,
        path: [String],
        in text: ConfigurationText,
        _ environment: ProgramEnvironment
    ) {
        self.table = table
        self.path = path
        self.text = text
        self.environment = environment
    }

    /// Reads a text as TOML, before anything is made of it: the top of the file.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column.
    init(_ text: ConfigurationText, _ environment: ProgramEnvironment) throws(CommandError) {
        if let defect = text.defect {
            throw CommandError.usage("\(text.file):\(defect.position): \(defect.sentence)")
        }
        do {
            let table = try TOMLTable(string: text.text)
            self.init(table, path: [], in: text, environment)
        } catch let error as TOMLParseError {
            let begin = error.source.begin
            let location = "\(text.file):\(max(begin.line, 1)):\(max(begin.column, 1))"
            throw CommandError.usage(
                "\(location): this is not TOML (\(Self.reason(error.description))); texts stand in"
                    + " quotes, lists in brackets, and every key once."
            )
        } catch {
            throw CommandError.usage("\(text.file): this is not TOML.")
        }
    }

    /// The parser's reason without the text that it saw, which may be a piece of a secret.
    private static func reason(_ description: String) -> String {
        var reason = description[...]
        for sign in [", saw", "; saw", " saw ", "; value was", " '\\"] {
            if let range = reason.range(of: sign) { reason = reason[..<range.lowerBound] }
        }
        if reason.hasPrefix("Error while ") { reason = reason.dropFirst("Error while ".count) }
        return reason.filter { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
    }

    /// The keys, in alphabetical order.
    var keys: [String] { self.table.keys.sorted() }

    func has(_ key: String) -> Bool { self.table[key] != nil }

    /// An error at a key of this section: `sources.nas.url` and the rest of a sentence.
    func failure(_ key: String, _ what: String) -> CommandError {
        let path = self.path + [key]
        return self.text.failure(at: path, "\(path.joined(separator: ".")) \(what)")
    }

    /// A value as `read` takes it; `expected` ends the sentence `KEY must be …` for any other.
    private func value<Value>(
        _ key: String,
        _ expected: String,
        _ read: (any TOMLValueConvertible) -> Value?
    ) throws(CommandError) -> Value? {
        guard let node = self.table[key] else { return nil }
        guard let value = read(node) else { throw self.failure(key, "must be \(expected).") }
        return value
    }

    private static func text(_ node: any TOMLValueConvertible) -> String? {
        node.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    func string(
        _ key: String,
        _ expected: String = "a text in quotes"
    ) throws(CommandError) -> String? {
        try self.value(key, expected, Self.text)
    }

    func strings(_ key: String, _ expected: String) throws(CommandError) -> [String]? {
        try self.value(key, expected) { node in
            guard let array = node.array else { return nil }
            let texts = (0..<array.count).compactMap { Self.text(array[$0]) }
            return texts.count == array.count ? texts : nil
        }
    }

    func boolean(_ key: String) throws(CommandError) -> Bool? {
        try self.value(key, "true or false, without quotes") { $0.bool }
    }

    func integer(_ key: String, _ expected: String) throws(CommandError) -> Int? {
        try self.value(key, expected) { $0.int }
    }

    /// A value that an option of the command line takes; a number may stand without quotes.
    func option<Value: ExpressibleByArgument>(
        _ key: String,
        _ expected: String
    ) throws(CommandError) -> Value? {
        try self.value(key, expected) { node in
            (node.string ?? node.int.map(String.init)).flatMap { Value(argument: $0) }
        }
    }

    /// A section below this one.
    func section(_ key: String) throws(CommandError) -> ConfigurationTable? {
        guard let node = self.table[key] else { return nil }
        let path = self.path + [key]
        guard let table = node.table else {
            throw self.failure(key, "must be a section, [\(path.joined(separator: "."))].")
        }
        return ConfigurationTable(table, path: path, in: self.text, self.environment)
    }

    /// Refuses keys without a meaning.
    func allow(only known: [String]) throws(CommandError) {
        for key in self.keys where !known.contains(key) {
            let nearest = known.nearest(to: key)
            let advice =
                nearest.map { "did you mean \($0)?" }
                ?? "what can stand here is \(known.joined(separator: ", "))."
            throw self.failure(key, "means nothing; \(advice)")
        }
    }

    /// Refuses two keys that say the same in two ways.
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

extension ConfigurationTable {
    /// A secret: `KEY-env`, `KEY-file`, or, in a file that only its owner can read, `KEY` itself.
    func secret(_ key: String) throws(CommandError) -> SecretReference? {
        let (variable, file) = ("\(key)-env", "\(key)-file")
        try self.refuseSeveral(of: [key, variable, file])
        if let name = try self.string(variable, "the name of a variable in quotes") {
            return .environment(name)
        }
        if let path = try self.path(file) { return .file(path) }
        guard let secret = try self.string(key) else { return nil }
        try self.requirePrivacy(key, or: "use \(variable) or \(file)")
        return .literal(secret)
    }

    /// Refuses a secret in a file that others can read.
    func requirePrivacy(_ key: String, or way: String) throws(CommandError) {
        guard !self.text.isPrivate else { return }
        throw self.failure(
            key,
            "is a secret in a file that other users can read; run chmod 600 \(self.text.file), or"
                + " \(way)."
        )
    }

    /// The path of a file or folder, absolute.
    func path(_ key: String) throws(CommandError) -> String? {
        guard let path = try self.string(key, "a path in quotes, such as \"~/Music\"") else {
            return nil
        }
        return self.environment.absolutePath(path, from: self.text.folder)
    }

    /// An `http` or `https` URL; one with a password in it only in a file that only its owner can read.
    func url(_ key: String, example: String = "https://…") throws(CommandError) -> WebAddress? {
        guard let text = try self.string(key, "a text in quotes, such as \"\(example)\"") else {
            return nil
        }
        // People write a host without a path for its root.
        let spellings = [text, "\(text)/"]
        guard let spelling = spellings.first(where: { (try? OriginURL($0)) != nil }),
            let url = try? OriginURL(spelling)
        else { throw self.failure(key, "must be an http or https URL, such as \"\(example)\".") }
        if url.userInfo != nil {
            try self.requirePrivacy(key, or: "leave user and password out of the URL")
        }
        return WebAddress(text: spelling, url: url)
    }

    /// Where a service answers: a URL without a slash at its end, so that paths can be added.
    func base(_ key: String) throws(CommandError) -> String? {
        guard var text = try self.url(key)?.text[...] else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        return String(text)
    }

    /// Headers, `Name: value`; credentials only in a file that only its owner can read.
    func headers(_ key: String) throws(CommandError) -> HTTPHeaderList {
        var list = HTTPHeaderList()
        for text in try self.strings(key, "a list of texts, such as [\"Name: value\"]") ?? [] {
            let header: HTTPHeader
            do throws(SourceError) {
                header = try HTTPHeader(parsing: text)
            } catch {
                throw self.failure(key, "holds what is no header; write it as \"Name: value\".")
            }
            let secrets = ["authorization", "proxy-authorization", "cookie"]
            if secrets.contains(header.name.lowercased()) {
                try self.requirePrivacy(key, or: "use \(key)-env")
            }
            list.append(header.read(in: "the configuration"))
        }
        return list
    }

    /// Headers whose values are in the environment, `Name=VARIABLE`.
    func environmentHeaders(
        _ key: String,
        _ expected: String = "a list of texts, such as [\"Authorization=TOKEN\"]"
    ) throws(CommandError) -> [EnvironmentHeader] {
        try (self.strings(key, expected) ?? []).map { text throws(CommandError) in
            guard let header = EnvironmentHeader(text) else {
                throw self.failure(key, "must be \(expected).")
            }
            return header
        }
    }
}
