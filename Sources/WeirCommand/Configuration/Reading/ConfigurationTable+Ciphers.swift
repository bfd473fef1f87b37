// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension ConfigurationTable {
    /// A text under a name of decryption.
    func string(
        _ key: CipherChoices.Key,
        _ expected: String
    ) throws(CommandError) -> String? {
        try self.string(key.rawValue, expected)
    }

    /// A path under a name of decryption.
    func path(
        _ key: CipherChoices.Key,
        _ surroundings: Surroundings
    ) throws(CommandError) -> String? {
        try self.path(key.rawValue, surroundings)
    }

    /// An option's value under a name of decryption.
    func option<Value: ExpressibleByArgument>(
        _ key: CipherChoices.Key,
        as type: Value.Type,
        _ expected: String
    ) throws(CommandError) -> Value? {
        try self.option(key.rawValue, as: type, expected)
    }
}
