// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher
import WeirConsole
import WeirLoader
import WeirProxy
import WeirSource

extension ConfigurationTable {
    private static let settingsKeys = [
        "listen", "cache", "cache-limit", "cache-count", "cache-age", "cache-reserve", "keep",
        "revalidate", "ignore-cache-control", "when-gone", "retry-for", "validator",
        "read-ahead", "limit-rate", "ca-file", "offline", "immutable", "allow-host",
        "allow-cross-origin", "page", "log", "signing-keys", "drain",
        "proxy-protocol-from", "hls-host", "sources", "tier", "limits",
    ]

    /// The settings at the top of the file.
    func settings() throws(CommandError) -> ConfigurationSettings {
        try self.allow(only: Self.settingsKeys)
        let size = "a size in quotes, such as \"20GB\""
        var settings = ConfigurationSettings()
        settings.listen = try self.option(
            "listen",
            "an address and a port in quotes, such as \"127.0.0.1:4747\""
        )
        settings.cache = try self.path("cache")
        settings.cacheLimit = try self.option("cache-limit", size)
        settings.cacheCount = try self.count("cache-count")
        settings.cacheAge = try self.option(
            "cache-age",
            "a time in quotes, such as \"12h\" or \"30d\""
        )
        settings.cacheReserve = try self.option("cache-reserve", size)
        settings.prefetch = try self.option("keep", "\"played\", \"whole\" or \"first:SIZE\"")
        settings.revalidate = try self.option(
            "revalidate",
            "\"always\", \"never\" or a time such as \"60s\""
        )
        settings.ignoreCacheControl = try self.boolean("ignore-cache-control")
        settings.whenGone = try self.option("when-gone", "\"serve\" or \"refuse\"")
        settings.retryFor = try self.option(
            "retry-for",
            "a time in quotes, such as \"5m\""
        )
        settings.validator = try self.option("validator", ValidatorPolicy.quotedForms)
        settings.readAhead = try self.option("read-ahead", size)
        settings.limitRate = try self.rate("limit-rate")
        settings.certificateFile = try self.path("ca-file")
        settings.offline = try self.boolean("offline")
        settings.immutable = try self.boolean("immutable")
        settings.allowedHosts =
            try self.strings("allow-host", "a list of names, such as [\"nas.local\"]") ?? []
        settings.playlistHosts =
            try self.strings("hls-host", "a list of names, such as [\"nas.local\"]") ?? []
        settings.allowedSites =
            try self.strings(
                "allow-cross-origin",
                "a list of sites, such as [\"https://app.example\"]"
            ) ?? []
        settings.page = try self.boolean("page")
        settings.signingKeys = try self.path("signing-keys")
        settings.drain = try self.option("drain", "a time in quotes, such as \"30s\"")
        settings.balancers = try self.balancers()
        settings.log = try self.option("log", "\"text\" or \"json\"")
        return settings
    }

    /// A whole number, 1 or more.
    func count(_ key: String) throws(CommandError) -> Int? {
        let expected = "a whole number without quotes, 1 or more"
        let count = try self.integer(key, expected)
        if let count, count < 1 { throw self.failure(key, "must be \(expected).") }
        return count
    }

    /// Bytes a second, 1 or more.
    func rate(_ key: String) throws(CommandError) -> ByteSize? {
        let rate: ByteSize? = try self.option(key, "a size in quotes, such as \"2MB\"")
        if rate?.bytes == 0 {
            throw self.failure(key, "must be more than 0; leave it out for no limit.")
        }
        return rate
    }

    private func balancers() throws(CommandError) -> [AddressRange] {
        let key = "proxy-protocol-from"
        let expected = "a list of addresses, such as [\"10.0.0.5\", \"fd00::/8\"]"
        var ranges: [AddressRange] = []
        for text in try self.strings(key, expected) ?? [] {
            guard let range = AddressRange(text) else {
                throw self.failure(
                    key,
                    "has '\(text)', which is not an address or a block such as 10.0.0.0/8; it must be \(expected)."
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    /// The limits for players.
    func limits() throws(CommandError) -> ConfiguredLimits {
        guard let table = try self.section("limits") else { return ConfiguredLimits() }
        try table.allow(only: ["connections", "client-connections", "rate", "client-rate"])
        return ConfiguredLimits(
            connections: try table.count("connections"),
            clientConnections: try table.count("client-connections"),
            rate: try table.rate("rate"),
            clientRate: try table.rate("client-rate")
        )
    }

    /// The keys of every section of a source whose files are encrypted.
    static let cipherKeys = CipherChoices.Key.allCases.map(\.rawValue)

    /// The decryption of a source's files; `nil` for none.
    func cipher() throws(CommandError) -> CipherSettings? {
        typealias Key = CipherChoices.Key
        func option<Value: ExpressibleByArgument>(
            _ key: Key,
            _ expected: String
        ) throws(CommandError) -> Value? {
            try self.option(key.rawValue, expected)
        }
        let header = "a size in quotes, such as \"1KiB\", or a number of bytes"
        let derivation =
            "\"pbkdf2\", \"pbkdf2:ITERATIONS\", \"bytes-to-key\" or \"bytes-to-key:md5\","
            + " with one of \(KeyDerivation.Digest.list) at the end"
        let choices = CipherChoices(
            scheme: try self.scheme(),
            keyFile: try self.path(Key.keyFile.rawValue),
            keyVariable: try self.string(
                Key.keyVariable.rawValue,
                "the name of a variable in quotes"
            ),
            initialVector: try self.vector(),
            counter: try option(.counter, "a whole number, 0 or more"),
            plainHeader: try option(.plainHeader, header),
            padding: try option(.padding, "\"pkcs7\" or \"none\""),
            derivation: try option(.derivation, derivation),
            keyBits: try option(.keyBits, "128, 192 or 256")
        )
        do throws(CipherConflict) {
            return try choices.settings(.configuration)
        } catch {
            throw self.failure(error.key.rawValue, error.what)
        }
    }

    private func scheme() throws(CommandError) -> CipherScheme? {
        let key = CipherChoices.Key.scheme.rawValue
        let names = CipherScheme.allCases.map(\.rawValue)
        guard let text = try self.string(key, "one of \(CipherScheme.list), in quotes") else {
            return nil
        }
        guard let scheme = CipherScheme(rawValue: text) else {
            let nearest = names.nearest(to: text)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw self.failure(
                key,
                "is not a format that Weir knows; \(guess)There are \(CipherScheme.list)."
            )
        }
        return scheme
    }

    /// The vector must be a text, since a number would lose its leading zeros.
    private func vector() throws(CommandError) -> InitialVector? {
        let expected = "hexadecimal digits in quotes, 32 for 16 bytes, or \"prefix\""
        let key = CipherChoices.Key.initialVector.rawValue
        guard let text = try self.string(key, expected) else { return nil }
        guard let vector = InitialVector(argument: text) else {
            throw self.failure(key, "must be \(expected).")
        }
        return vector
    }
}
