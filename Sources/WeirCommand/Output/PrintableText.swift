// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Text from elsewhere, made fit to be shown.
extension String {
    /// How many scalars of a text are shown.
    private static var longestLine: Int { 500 }

    /// The text on one line: characters that could move a terminal's cursor are shown as `?`, and a long text is cut.
    var printableLine: String {
        let shown = String(String.UnicodeScalarView(self.unicodeScalars.prefix(Self.longestLine)))
        let isCut = self.unicodeScalars.dropFirst(Self.longestLine).first != nil
        return shown.printable + (isCut ? "…" : "")
    }

    /// The same, however long it is.
    var printable: String {
        let shown = self.unicodeScalars.map { scalar -> Unicode.Scalar in
            if scalar == "\n" || scalar == "\r" || scalar == "\t" { return " " }
            return switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(shown))
    }

    /// The text as a word of a command, in quotes where a shell would take it apart.
    var shellQuoted: String {
        let isPlain =
            !self.isEmpty
            && self.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_./@%+=:,-".utf8.contains(byte)
                }
            }
        return isPlain ? self : "'\(self.replacing("'", with: "'\\''"))'"
    }
}
