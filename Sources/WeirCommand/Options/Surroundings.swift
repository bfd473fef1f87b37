// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The process environment and the folders that it names.
struct Surroundings: Sendable {
    let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    /// The value of a variable, `nil` when it is unset or empty.
    subscript(name: String) -> String? {
        self.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Where the cache lies unless the user says otherwise (XDG base directories; `Library/Caches` on
    /// Apple platforms).
    var cacheDirectory: String {
        #if canImport(Darwin)
        return self["XDG_CACHE_HOME"].map { "\($0)/weir" } ?? "\(self.home)/Library/Caches/weir"
        #else
        return "\(self["XDG_CACHE_HOME"] ?? "\(self.home)/.cache")/weir"
        #endif
    }

    /// Where the secret and, later, the configuration lie.
    var configurationDirectory: String {
        "\(self["XDG_CONFIG_HOME"] ?? "\(self.home)/.config")/weir"
    }

    /// Where it is kept what was going on last (XDG base directories; `Library/Application Support` on Apple platforms).
    var stateDirectory: String {
        #if canImport(Darwin)
        return self["XDG_STATE_HOME"].map { "\($0)/weir" }
            ?? "\(self.home)/Library/Application Support/weir"
        #else
        return "\(self["XDG_STATE_HOME"] ?? "\(self.home)/.local/state")/weir"
        #endif
    }

    private var home: String { self["HOME"] ?? NSHomeDirectory() }
}
