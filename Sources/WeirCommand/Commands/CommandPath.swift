// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The full name of the command in a command line, such as `weir cache list`.
struct CommandPath: Hashable, Sendable {
    /// The command as the user types it.
    private(set) var name = "weir"

    /// The program itself.
    init() {}

    /// Reads the words after the program's name; skips a `help` before the command.
    ///
    /// - Throws: ``CommandError`` with `usage` for an unknown command, with the nearest known one.
    init(_ arguments: [String]) throws(CommandError) {
        var commands = WeirCommand.configuration.subcommands
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            guard let command = commands.first(where: { $0._commandName == word }) else {
                throw Self.unknown(word, among: commands.map { $0._commandName }, of: self.name)
            }
            self.name += " \(word)"
            commands = command.configuration.subcommands
        }
    }

    private static func unknown(_ word: String, among names: [String], of path: String)
        -> CommandError
    {
        if path == "weir", word.contains("://") || FileManager.default.fileExists(atPath: word) {
            // A URL may contain a credential, so the error does not quote it.
            return .usage(
                "A command comes first, as in: weir play THING. weir --help lists the commands."
            )
        }
        let shown = String(word.prefix(64)).printableLine
        let meant = names.nearest(to: word).map { " Did you mean \(path) \($0)?" } ?? ""
        return .usage(
            "There is no command \(path) \(shown).\(meant) \(path) --help lists the commands."
        )
    }
}

/// Error messages for command lines.
extension CommandPath {
    /// The message for an error of the parser or of an option's value, with a reference to the
    /// help.
    func usage(_ error: any Error) -> String {
        let text = WeirCommand.fullMessage(for: error)
        let sentence = text.hasPrefix("Error: ") ? text.dropFirst("Error: ".count) : text[...]
        // For a `ValidationError` from `run`, the parser appends the usage of the whole program,
        // which does not help.
        guard error is ValidationError else { return "\(self.name): \(sentence)" }
        return "\(self.name): \(error)\n  See '\(self.name) --help' for more information."
    }
}

/// The help of a command, as the parser writes it.
struct HelpText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The help with the command's own options before the shared ones.
    ///
    /// The parser puts the command's own options, together with `--help` and `--version`, after all
    /// option groups.
    var ownOptionsFirst: String {
        var parts = self.text.components(separatedBy: "\n\n")
        guard let own = parts.firstIndex(where: { $0.hasPrefix("OPTIONS:\n") }),
            parts[own].contains(#/\n {2}(-(?!h,)|--(?!version))/#),
            let usage = parts.firstIndex(where: { $0.hasPrefix("USAGE:") })
        else { return self.text }
        let options = parts.remove(at: own)
        let first = usage + (parts[usage + 1].hasPrefix("ARGUMENTS:\n") ? 2 : 1)
        parts.insert(options.trimmingCharacters(in: .newlines), at: min(first, own))
        let text = parts.joined(separator: "\n\n")
        return text.hasSuffix("\n") ? text : "\(text)\n"
    }
}
