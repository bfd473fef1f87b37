// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TOMLKit
import WeirCipher
import WeirLoader

/// Turns the text of the configuration into values, or into one sentence about its first error.
struct ConfigurationReader {
    let text: ConfigurationText
    let environment: ProgramEnvironment

    /// Reads all of it.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column, and what was expected.
    func configuration() throws(CommandError) -> Configuration {
        let top = ConfigurationTable(try self.parsed(), path: [], in: self.text)
        return Configuration(
            file: self.text.file,
            settings: try self.settings(top),
            sources: try self.sources(top)
        )
    }

    /// The text as TOML, before anything is made of it.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column.
    func parsed() throws(CommandError) -> TOMLTable {
        if let defect = self.text.defect {
            throw CommandError.usage("\(self.text.file):\(defect.position): \(defect.sentence)")
        }
        do {
            return try TOMLTable(string: self.text.text)
        } catch let error as TOMLParseError {
            let begin = error.source.begin
            let location = "\(self.text.file):\(max(begin.line, 1)):\(max(begin.column, 1))"
            throw CommandError.usage(
                "\(location): this is not TOML (\(Self.reason(error.description))); texts stand in"
                    + " quotes, lists in brackets, and every key once."
            )
        } catch {
            throw CommandError.usage("\(self.text.file): this is not TOML.")
        }
    }

    /// The parser's reason without the text that it saw, which may be a piece of a secret.
    static func reason(_ description: String) -> String {
        var reason = description[...]
        for sign in [", saw", "; saw", " saw ", "; value was", " '\\"] {
            if let range = reason.range(of: sign) { reason = reason[..<range.lowerBound] }
        }
        if reason.hasPrefix("Error while ") { reason = reason.dropFirst("Error while ".count) }
        return reason.filter { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
    }
}

extension ConfigurationReader {
    private static let keys = [
        "listen", "cache", "cache-limit", "cache-count", "cache-age", "cache-reserve", "keep",
        "revalidate", "ignore-cache-control", "when-gone", "read-ahead", "limit-rate", "ca-file",
        "offline", "immutable", "allow-host",
        "allow-cross-origin", "sources",
    ]

    /// The settings at the top of the file.
    func settings(_ top: ConfigurationTable) throws(CommandError) -> ConfigurationSettings {
        try top.allow(only: Self.keys)
        let size = "a size in quotes, such as \"20GiB\""
        var settings = ConfigurationSettings()
        settings.listen = try top.option(
            "listen",
            "an address and a port in quotes, such as \"127.0.0.1:4747\""
        )
        settings.cache = try top.path("cache", self.environment)
        settings.cacheLimit = try top.option("cache-limit", size)
        settings.cacheCount = try self.count(top)
        settings.cacheAge = try top.option(
            "cache-age",
            "a time in quotes, such as \"12h\" or \"30d\""
        )
        settings.cacheReserve = try top.option("cache-reserve", size)
        settings.keep = try top.option("keep", "\"played\", \"whole\" or \"first:SIZE\"")
        settings.revalidate = try top.option(
            "revalidate",
            "\"always\", \"never\" or a time such as \"60s\""
        )
        settings.ignoreCacheControl = try top.boolean("ignore-cache-control")
        settings.whenGone = try top.option("when-gone", "\"serve\" or \"refuse\"")
        settings.readAhead = try top.option("read-ahead", size)
        settings.limitRate = try top.option("limit-rate", size)
        if settings.limitRate?.bytes == 0 {
            throw top.failure("limit-rate", "must be more than 0; leave it out for no limit.")
        }
        settings.certificateFile = try top.path("ca-file", self.environment)
        settings.offline = try top.boolean("offline")
        settings.immutable = try top.boolean("immutable")
        settings.allowedHosts =
            try top.strings("allow-host", "a list of names, such as [\"nas.local\"]") ?? []
        settings.allowedSites =
            try top.strings(
                "allow-cross-origin",
                "a list of sites, such as [\"https://app.example\"]"
            ) ?? []
        return settings
    }

    private func count(_ top: ConfigurationTable) throws(CommandError) -> Int? {
        let expected = "a whole number without quotes, 1 or more"
        let count = try top.integer("cache-count", expected)
        if let count, count < 1 { throw top.failure("cache-count", "must be \(expected).") }
        return count
    }

    /// The keys of every section of a source whose files are encrypted.
    static let cipherKeys = CipherChoices.Key.allCases.map(\.rawValue)

    /// How the files of a source are decrypted; `nil` for not at all.
    func cipher(_ table: ConfigurationTable) throws(CommandError) -> CipherSettings? {
        typealias Key = CipherChoices.Key
        func option<Value: ExpressibleByArgument>(
            _ key: Key,
            _ expected: String
        ) throws(CommandError) -> Value? {
            try table.option(key.rawValue, expected)
        }
        let header = "a size in quotes, such as \"1KiB\", or a number of bytes"
        let derivation =
            "\"pbkdf2\", \"pbkdf2:ITERATIONS\", \"bytes-to-key\" or \"bytes-to-key:md5\""
        let choices = CipherChoices(
            scheme: try self.scheme(table),
            keyFile: try table.path(Key.keyFile.rawValue, self.environment),
            keyVariable: try table.string(
                Key.keyVariable.rawValue,
                "the name of a variable in quotes"
            ),
            initialVector: try self.vector(table),
            counter: try option(.counter, "a whole number, 0 or more"),
            plainHeader: try option(.plainHeader, header),
            padding: try option(.padding, "\"pkcs7\" or \"none\""),
            derivation: try option(.derivation, derivation),
            keyBits: try option(.keyBits, "128, 192 or 256")
        )
        do throws(CipherConflict) {
            return try choices.settings(.configuration)
        } catch {
            throw table.failure(error.key.rawValue, error.what)
        }
    }

    private func scheme(_ table: ConfigurationTable) throws(CommandError) -> CipherScheme? {
        let key = CipherChoices.Key.scheme.rawValue
        let names = CipherScheme.allCases.map(\.rawValue)
        guard let text = try table.string(key, "one of \(CipherScheme.list), in quotes") else {
            return nil
        }
        guard let scheme = CipherScheme(rawValue: text) else {
            let nearest = names.nearest(to: text)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw table.failure(
                key,
                "is no format that Weir knows; \(guess)There are \(CipherScheme.list)."
            )
        }
        return scheme
    }

    /// A number without quotes would have lost its zeros.
    private func vector(_ table: ConfigurationTable) throws(CommandError) -> InitialVector? {
        let expected = "hexadecimal digits in quotes, 32 for 16 bytes, or \"prefix\""
        let key = CipherChoices.Key.initialVector.rawValue
        guard let text = try table.string(key, expected) else { return nil }
        guard let vector = InitialVector(argument: text) else {
            throw table.failure(key, "must be \(expected).")
        }
        return vector
    }
}
