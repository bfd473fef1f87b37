// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// A header whose value is in a variable of the environment.
struct EnvironmentHeader: Hashable, Sendable {
    let name: String
    let variable: String

    /// Reads `Name=VARIABLE`; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty,
            (try? HTTPHeader(name: String(parts[0]), value: "")) != nil
        else { return nil }
        self.name = String(parts[0])
        self.variable = String(parts[1])
    }

    /// The header with its value.
    ///
    /// - Throws: ``CommandError`` with `usage` that names the variable.
    func header(_ surroundings: Surroundings) throws(CommandError) -> HTTPHeader {
        guard let value = surroundings[self.variable] else {
            throw CommandError(
                .usage,
                "The configuration names the variable \(self.variable) for the header \(self.name), and"
                    + " it is not set; set it."
            )
        }
        do throws(SourceError) {
            return try HTTPHeader(name: self.name, value: value)
        } catch {
            throw CommandError(.usage, error.message)
        }
    }
}
