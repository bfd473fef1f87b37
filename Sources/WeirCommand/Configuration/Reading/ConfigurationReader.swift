// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TOMLKit

/// Turns the text of the configuration into values, or into one sentence about its first error.
struct ConfigurationReader {
    let text: ConfigurationText
    let surroundings: Surroundings

    /// Reads all of it.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column, and what was expected.
    func configuration() throws(CommandError) -> Configuration {
        let top = ConfigurationTable(try self.parsed(), path: [], in: self.text)
        return Configuration(
            file: self.text.file,
            settings: try self.settings(top),
            sources: try self.sources(top)
        )
    }

    /// The text as TOML, before anything is made of it.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column.
    func parsed() throws(CommandError) -> TOMLTable {
        if let defect = self.text.defect {
            throw CommandError(
                .usage,
                "\(self.text.file):\(defect.position): \(defect.sentence)"
            )
        }
        do {
            return try TOMLTable(string: self.text.text)
        } catch let error as TOMLParseError {
            let begin = error.source.begin
            let place = "\(self.text.file):\(max(begin.line, 1)):\(max(begin.column, 1))"
            throw CommandError(
                .usage,
                "\(place): this is not TOML (\(Self.reason(error.description))); texts stand in"
                    + " quotes, lists in brackets, and every key once."
            )
        } catch {
            throw CommandError(.usage, "\(self.text.file): this is not TOML.")
        }
    }

    /// The parser's reason without what it saw, which may be a piece of a secret.
    static func reason(_ description: String) -> String {
        var reason = description[...]
        for sign in [", saw", "; saw", " saw ", "; value was", " '\\"] {
            if let range = reason.range(of: sign) { reason = reason[..<range.lowerBound] }
        }
        if reason.hasPrefix("Error while ") { reason = reason.dropFirst("Error while ".count) }
        return reason.filter { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
    }
}
