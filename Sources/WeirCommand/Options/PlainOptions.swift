// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirLoader
import WeirSource

/// Options that can be read without the parser.
///
/// The parser examines the properties of a command at run time. For `weir serve` this took more
/// than half of the instructions until the URL was printed. A command reads the plain command lines
/// itself and leaves all others to the parser, for their errors too. A test compares both.
///
/// A plain command line has the command's name first. An option stands as `--name value` or
/// `--name=value`, and no value is empty or begins with a hyphen.
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

extension PlainOptions {
    /// Reads the words of a command line.
    ///
    /// - Parameters:
    ///   - words: the words after the command's name.
    ///   - argument: takes a word that belongs to no option.
    /// - Returns: whether the command line is plain.
    /// - Throws: an error if an option does not take its value.
    mutating func read(
        _ words: ArraySlice<String>,
        argument: (inout Self, String) -> Void
    ) throws -> Bool {
        var words = words
        while let word = words.popFirst() {
            guard word.hasPrefix("-") else {
                guard !word.isEmpty else { return false }
                argument(&self, word)
                continue
            }
            if self.set(flag: word) { continue }
            let equals = word.firstIndex(of: "=")
            let name = String(word[..<(equals ?? word.endIndex)])
            let next = equals.map { String(word[word.index(after: $0)...]) } ?? words.popFirst()
            guard let value = next, !value.isEmpty, !value.hasPrefix("-"),
                try self.set(name, to: value)
            else { return false }
        }
        return true
    }
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

extension ServeCommand: PlainOptions {
    /// Reads a plain command line; `nil` for any other, and for a wrong one.
    ///
    /// - Parameter arguments: the arguments of the program.
    init?(plain arguments: [String]) {
        guard arguments.first == "serve" else { return nil }
        self = .unset
        do {
            let isPlain = try self.read(arguments.dropFirst()) { $0.origins.append($1) }
            guard isPlain else { return nil }
            try self.validate()
        } catch {
            return nil
        }
    }

    static var unset: ServeCommand {
        var command = ServeCommand()
        command.origins = []
        command.listen = nil
        command.noSecret = false
        command.newSecret = false
        command.allowedHosts = []
        command.allowedSites = []
        command.noPage = false
        command.logForm = nil
        command.drain = nil
        command.options = .unset
        return command
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--no-secret": self.noSecret = true
        case "--new-secret": self.newSecret = true
        case "--no-page": self.noPage = true
        default: return self.options.set(flag: flag)
        }
        return true
    }

    mutating func set(_ name: String, to value: String) throws -> Bool {
        switch name {
        case "--listen": self.listen = try .read(value)
        case "--allow-host": self.allowedHosts.append(value)
        case "--allow-cross-origin": self.allowedSites.append(value)
        case "--log": self.logForm = try .read(value)
        case "--drain": self.drain = try .read(value)
        default: return try self.options.set(name, to: value)
        }
        return true
    }
}
