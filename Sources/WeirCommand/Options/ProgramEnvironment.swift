// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The process environment and the folders that it names.
struct ProgramEnvironment: Sendable {
    private let variables: [String: String]

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
        self.variables = variables
    }

    /// The value of a variable, `nil` when it is unset or empty.
    subscript(name: String) -> String? {
        self.variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a variable that replaces an option.
    ///
    /// - Throws: `ValidationError` for a value that the option does not accept.
    func value<Value: ExpressibleByArgument>(_ name: String) throws -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = Value(argument: text) else {
            // Other values may be secrets, so the message does not quote them.
            if let described = Value.self as? any DescribedArgument.Type {
                throw ValidationError(
                    "The variable \(name) has the invalid value '\(text.printableLine)'; write \(described.forms)."
                )
            }
            throw ValidationError(
                "The variable \(name) has a value that the option of its name does not accept; see weir --help."
            )
        }
        return value
    }

    /// The default cache folder (XDG base directories; `Library/Caches` on Apple platforms).
    var cacheDirectory: String {
        #if canImport(Darwin)
        return self["XDG_CACHE_HOME"].map { "\($0)/weir" } ?? "\(self.home)/Library/Caches/weir"
        #else
        return "\(self["XDG_CACHE_HOME"] ?? "\(self.home)/.cache")/weir"
        #endif
    }

    /// The folder of the configuration, the stations, the tokens and the proxy's secret.
    var configurationDirectory: String {
        "\(self["XDG_CONFIG_HOME"] ?? "\(self.home)/.config")/weir"
    }

    /// The folder of the remembered positions (XDG base directories; `Library/Application Support`
    /// on Apple platforms).
    var stateDirectory: String {
        #if canImport(Darwin)
        return self["XDG_STATE_HOME"].map { "\($0)/weir" }
            ?? "\(self.home)/Library/Application Support/weir"
        #else
        return "\(self["XDG_STATE_HOME"] ?? "\(self.home)/.local/state")/weir"
        #endif
    }

    /// Resolves a path that a file contains: `~` is the user's home, and a relative path starts at
    /// the file's folder.
    func absolutePath(_ path: String, from folder: String) -> String {
        if path == "~" || path.hasPrefix("~/") {
            return "\(self.home)\(path.dropFirst())"
        }
        return path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }

    private var home: String { self["HOME"] ?? NSHomeDirectory() }
}
