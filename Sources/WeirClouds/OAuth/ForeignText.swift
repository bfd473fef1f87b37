// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Words of a service that are shown to a person.
enum ForeignText {
    /// The text on one line, without control characters, and cut where nobody would read on.
    static func shown(_ text: String, limit: Int = 200) -> String {
        let line = text.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: " "
            default: Character(scalar)
            }
        }
        let short = String(line.prefix(limit))
        return line.count > limit ? "\(short)…" : short
    }
}
