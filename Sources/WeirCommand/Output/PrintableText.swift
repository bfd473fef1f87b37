// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Text from elsewhere, made fit to be shown.
enum PrintableText {
    /// How many scalars of a text are shown.
    static let longest = 500

    /// Text of a stream on one line: what could move a terminal's cursor is shown as `?`, and what is very long is cut.
    static func line(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(Self.longest).map { scalar -> Unicode.Scalar in
            if scalar == "\n" || scalar == "\r" || scalar == "\t" { return " " }
            return switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "?"
            default: scalar
            }
        }
        let isCut = text.unicodeScalars.dropFirst(Self.longest).first != nil
        return String(String.UnicodeScalarView(shown)) + (isCut ? "…" : "")
    }
}
