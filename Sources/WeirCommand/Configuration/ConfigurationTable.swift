// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirHTTP
import WeirSource

/// A section of the configuration, read key by key; an error gives the position and the expected
/// value.
///
/// Errors name keys and never quote values, which may be secrets.
struct ConfigurationTable {
    /// The section's path; empty for the top of the file.
    let path: [String]
    let text: ConfigurationText
    let environment: ProgramEnvironment

    private let table: TOMLTable
    /// The position of the section.
    private let start: TextPosition

    private init(
        _ table: TOMLTable,
        at start: TextPosition,
        path: [String],
        in text: ConfigurationText,
        _ environment: ProgramEnvironment
    ) {
        self.table = table
        self.start = start
        self.path = path
        self.text = text
        self.environment = environment
    }

    /// Parses a text as TOML; the result is the top of the file.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column.
    init(_ text: ConfigurationText, _ environment: ProgramEnvironment) throws(CommandError) {
        do {
            self.init(try TOMLReader.read(text.text), at: .start, path: [], in: text, environment)
        } catch {
            throw CommandError.usage("\(text.file):\(error.position): \(error.sentence)")
        }
    }

    /// The keys, in alphabetical order.
    var keys: [String] { self.table.entries.keys.sorted() }

    func has(_ key: String) -> Bool { self.table[key] != nil }

    /// `FILE:LINE:COLUMN` of this section.
    var location: String { "\(self.text.file):\(self.start)" }

    /// An error at a key of this section: the key's full name and the rest of a sentence.
    func failure(_ key: String, _ what: String) -> CommandError {
        let position = self.table.entries[key]?.position ?? self.start
        let name = (self.path + [key]).joined(separator: ".")
        return CommandError.usage("\(self.text.file):\(position): \(name) \(what)")
    }

    /// An error of the whole section: its full name and the rest of a sentence.
    func failure(_ what: String) -> CommandError {
        CommandError.usage("\(self.location): \(self.path.joined(separator: ".")) \(what)")
    }

    /// A value converted by `read`; `expected` ends the sentence `KEY must be …` for an invalid
    /// value.
    private func value<Value>(
        _ key: String,
        _ expected: String,
        _ read: (TOMLValue) -> Value?
    ) throws(CommandError) -> Value? {
        guard let node = self.table[key] else { return nil }
        guard let value = read(node) else { throw self.failure(key, "must be \(expected).") }
        return value
    }

    private static func text(_ value: TOMLValue) -> String? {
        guard case .text(let text) = value, !text.isEmpty else { return nil }
        return text
    }

    func string(
        _ key: String,
        _ expected: String = "a text in quotes"
    ) throws(CommandError) -> String? {
        try self.value(key, expected, Self.text)
    }

    func strings(_ key: String, _ expected: String) throws(CommandError) -> [String]? {
        try self.value(key, expected) { value in
            guard case .list(let list) = value else { return nil }
            let texts = list.compactMap(Self.text)
            return texts.count == list.count ? texts : nil
        }
    }

    func boolean(_ key: String) throws(CommandError) -> Bool? {
        try self.value(key, "true or false, without quotes") { value in
            if case .boolean(let boolean) = value { boolean } else { nil }
        }
    }

    func integer(_ key: String, _ expected: String) throws(CommandError) -> Int? {
        try self.value(key, expected) { value in
            if case .integer(let integer) = value { integer } else { nil }
        }
    }

    /// A value in the form of a command line option; a number needs no quotes.
    func option<Value: ExpressibleByArgument>(
        _ key: String,
        _ expected: String
    ) throws(CommandError) -> Value? {
        try self.value(key, expected) { value in
            switch value {
            case .text(let text): Value(argument: text)
            case .integer(let integer): Value(argument: String(integer))
            default: nil
            }
        }
    }

    /// A section below this one.
    func section(_ key: String) throws(CommandError) -> ConfigurationTable? {
        guard let entry = self.table.entries[key] else { return nil }
        let path = self.path + [key]
        guard case .table(let table) = entry.value else {
            throw self.failure(key, "must be a section, [\(path.joined(separator: "."))].")
        }
        return ConfigurationTable(
            table,
            at: entry.position,
            path: path,
            in: self.text,
            self.environment
        )
    }

    /// Refuses unknown keys.
    func allow(only known: [String]) throws(CommandError) {
        for key in self.keys where !known.contains(key) {
            let nearest = known.nearest(to: key)
            let advice =
                nearest.map { "did you mean \($0)?" }
                ?? "known keys are \(known.joined(separator: ", "))."
            throw self.failure(key, "is not a known key; \(advice)")
        }
    }

    /// Refuses more than one of several alternative keys.
    func refuseSeveral(of keys: [String]) throws(CommandError) {
        let given = keys.filter(self.has)
        guard given.count > 1 else { return }
        throw self.failure(given[1], "contradicts \(given[0]); leave one of them out.")
    }

    /// Refuses each of these keys that the section has, for the caller's reason.
    func refuse(_ keys: [String], because reason: String) throws(CommandError) {
        for key in keys where self.has(key) { throw self.failure(key, reason) }
    }
}

extension ConfigurationTable {
    /// A secret: `KEY-env`, `KEY-file` or, in a private file, `KEY`.
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

    /// Refuses a secret in a file that other users can read.
    func requirePrivacy(_ key: String, or way: String) throws(CommandError) {
        guard !self.text.isPrivate else { return }
        throw self.failure(
            key,
            "is a secret in a file that other users can read; run chmod 600 \(self.text.file), or"
                + " \(way)."
        )
    }

    /// The absolute path of a file or folder.
    func path(_ key: String) throws(CommandError) -> String? {
        guard let path = try self.string(key, "a path in quotes, such as \"~/Music\"") else {
            return nil
        }
        return self.environment.absolutePath(path, from: self.text.folder)
    }

    /// An `http` or `https` URL; a password in it is allowed in a private file only.
    func url(_ key: String, example: String = "https://…") throws(CommandError) -> OriginURL? {
        try self.spelled(key, example)?.url
    }

    private func spelled(_ key: String, _ example: String = "https://…") throws(CommandError)
        -> (text: String, url: OriginURL)?
    {
        guard let text = try self.string(key, "a text in quotes, such as \"\(example)\"") else {
            return nil
        }
        // Users often write a host without the slash for its root.
        let spellings = [text, "\(text)/"]
        guard let spelling = spellings.first(where: { (try? OriginURL($0)) != nil }),
            let url = try? OriginURL(spelling)
        else { throw self.failure(key, "must be an http or https URL, such as \"\(example)\".") }
        if url.userInfo != nil {
            try self.requirePrivacy(key, or: "leave user and password out of the URL")
        }
        return (spelling, url)
    }

    /// The base URL of a service, without a slash at its end, so that paths can be appended.
    func base(_ key: String) throws(CommandError) -> String? {
        guard var text = try self.spelled(key)?.text[...] else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        return String(text)
    }

    /// Headers, `Name: value`; credentials are allowed in a private file only.
    func headers(_ key: String) throws(CommandError) -> HTTPHeaderList {
        var list = HTTPHeaderList()
        for text in try self.strings(key, "a list of texts, such as [\"Name: value\"]") ?? [] {
            let header: HTTPHeader
            do throws(SourceError) {
                header = try HTTPHeader(parsing: text)
            } catch {
                throw self.failure(key, "has an invalid header; write it as \"Name: value\".")
            }
            let secrets = ["authorization", "proxy-authorization", "cookie"]
            if secrets.contains(header.name.lowercased()) {
                try self.requirePrivacy(key, or: "use \(key)-env")
            }
            list.append(header.read(in: "the configuration"))
        }
        return list
    }

    /// Headers with values from the environment, `Name=VARIABLE`.
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
