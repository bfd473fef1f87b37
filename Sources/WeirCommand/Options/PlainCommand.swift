// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command that reads plain command lines without the parser.
///
/// The parser examines the properties of a command at run time. For `weir serve` this took more
/// than half of the instructions until the URL was printed. The command leaves all other lines to
/// the parser, and wrong ones for its errors. A test compares both.
///
/// A plain command line has the command's name first. An option stands as `--name value` or
/// `--name=value`, and no value is empty or begins with a hyphen.
protocol PlainCommand: PlainOptions, AsyncParsableCommand {
    /// Takes a word that belongs to no option.
    mutating func add(argument: String)

    /// Whether the command has the arguments that it needs.
    var hasArguments: Bool { get }
}

extension PlainCommand {
    /// Reads a plain command line; `nil` for any other, and for a wrong one.
    ///
    /// - Parameter arguments: the arguments of the program.
    init?(plain arguments: [String]) {
        guard arguments.first == Self.configuration.commandName else { return nil }
        self = .unset
        do {
            guard try self.read(arguments.dropFirst()), self.hasArguments else { return nil }
            try self.validate()
        } catch {
            return nil
        }
    }

    /// Reads the words after the command's name.
    ///
    /// - Returns: whether the command line is plain.
    /// - Throws: an error if an option does not take its value.
    private mutating func read(_ words: ArraySlice<String>) throws -> Bool {
        var words = words
        while let word = words.popFirst() {
            guard word.hasPrefix("-") else {
                guard !word.isEmpty else { return false }
                self.add(argument: word)
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

extension ServeCommand: PlainCommand {
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

    /// Without an origin, the command serves all sources and stations.
    var hasArguments: Bool { true }

    mutating func add(argument: String) { self.origins.append(argument) }

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

extension GetCommand: PlainCommand {
    static var unset: GetCommand {
        var command = GetCommand()
        command.names = []
        command.output = nil
        command.recursive = false
        command.force = false
        command.options = .unset
        return command
    }

    var hasArguments: Bool { !self.names.isEmpty }

    mutating func add(argument: String) { self.names.append(argument) }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--recursive", "-r": self.recursive = true
        case "--force": self.force = true
        default: return self.options.set(flag: flag)
        }
        return true
    }

    mutating func set(_ name: String, to value: String) throws -> Bool {
        switch name {
        case "--output", "-o": self.output = value
        default: return try self.options.set(name, to: value)
        }
        return true
    }
}
