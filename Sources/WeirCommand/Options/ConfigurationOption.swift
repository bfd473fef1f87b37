// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Where the configuration is.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration. (default: config.toml in ~/.config/weir)",
            valueName: "file"
        )
    )
    var file: String?

    /// Reads it.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    func load(_ surroundings: Surroundings) throws -> Configuration {
        try Configuration.load(self.file, surroundings)
    }
}
