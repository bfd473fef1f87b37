// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirLoader
import WeirSource

/// Options that can be read without the parser, in a ``PlainCommand``.
protocol PlainOptions {
    /// The values without any option.
    ///
    /// Sets every property, because the declared defaults are known to the parser only.
    static var unset: Self { get }

    /// Sets a flag.
    ///
    /// - Returns: whether there is such a flag.
    mutating func set(flag: String) -> Bool

    /// Sets an option that has a value.
    ///
    /// - Returns: whether there is such an option.
    /// - Throws: an error if the option does not take the value.
    mutating func set(_ name: String, to value: String) throws -> Bool
}

extension SourceOptions: PlainOptions {
    static var unset: SourceOptions {
        var options = SourceOptions()
        options.headers = []
        options.headersFromEnvironment = []
        options.account = nil
        options.certificateFile = nil
        return options
    }

    mutating func set(flag: String) -> Bool { false }

    mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "--header": self.headers.append(value)
        case "--header-env": self.headersFromEnvironment.append(value)
        case "--account": self.account = value
        case "--ca-file": self.certificateFile = value
        default: return false
        }
        return true
    }
}

extension LoadOptions: PlainOptions {
    static var unset: LoadOptions {
        var options = LoadOptions()
        options.volatileQuery = []
        options.immutable = false
        options.offline = false
        options.keep = nil
        options.revalidate = nil
        options.validator = nil
        options.ignoresCacheControl = false
        options.whenGone = nil
        options.retryFor = nil
        options.playlistHosts = []
        options.readAhead = nil
        options.limitRate = nil
        return options
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--immutable": self.immutable = true
        case "--offline": self.offline = true
        case "--ignore-cache-control": self.ignoresCacheControl = true
        default: return false
        }
        return true
    }

    mutating func set(_ name: String, to value: String) throws -> Bool {
        switch name {
        case "--volatile-query": self.volatileQuery.append(value)
        case "--keep": self.keep = try .read(value)
        case "--revalidate": self.revalidate = try .read(value)
        case "--validator": self.validator = try .read(value)
        case "--when-gone": self.whenGone = try .read(value)
        case "--retry-for": self.retryFor = try .read(value)
        case "--hls-host": self.playlistHosts.append(value)
        case "--read-ahead": self.readAhead = try .read(value)
        case "--limit-rate": self.limitRate = try .read(value)
        default: return false
        }
        return true
    }
}

/// The parser reads the decryption options: their values have more kinds.
extension CipherOptions {
    static var unset: CipherOptions {
        var options = CipherOptions()
        options.scheme = nil
        options.keyFile = nil
        options.keyVariable = nil
        options.initialVector = nil
        options.counter = nil
        options.plainHeader = nil
        options.padding = nil
        options.derivation = nil
        options.keyBits = nil
        return options
    }
}

extension CacheOptions: PlainOptions {
    static var unset: CacheOptions {
        var configuration = ConfigurationOption()
        configuration.file = nil
        var folder = CacheFolderOption()
        folder.configuration = configuration
        folder.directory = nil
        var options = CacheOptions()
        options.folder = folder
        options.limit = nil
        options.count = nil
        options.age = nil
        options.reserve = nil
        return options
    }

    mutating func set(flag: String) -> Bool { false }

    mutating func set(_ name: String, to value: String) throws -> Bool {
        switch name {
        case "--config": self.folder.configuration.file = value
        case "--cache": self.folder.directory = value
        case "--cache-limit": self.limit = try .read(value)
        case "--cache-age": self.age = try .read(value)
        case "--cache-reserve": self.reserve = try .read(value)
        default: return false
        }
        return true
    }
}

extension OutputOptions: PlainOptions {
    static var unset: OutputOptions {
        var form = FormOptions()
        form.json = false
        form.quiet = false
        var options = OutputOptions()
        options.form = form
        options.verbose = false
        return options
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--json": self.form.json = true
        case "--quiet", "-q": self.form.quiet = true
        case "--verbose", "-v": self.verbose = true
        default: return false
        }
        return true
    }

    mutating func set(_ name: String, to value: String) -> Bool { false }
}

extension MediaOptions: PlainOptions {
    static var unset: MediaOptions {
        var options = MediaOptions()
        options.source = .unset
        options.load = .unset
        options.cipher = .unset
        options.cache = .unset
        options.output = .unset
        return options
    }

    mutating func set(flag: String) -> Bool {
        self.load.set(flag: flag) || self.output.set(flag: flag)
    }

    mutating func set(_ name: String, to value: String) throws -> Bool {
        if self.source.set(name, to: value) { return true }
        if try self.load.set(name, to: value) { return true }
        return try self.cache.set(name, to: value)
    }
}
