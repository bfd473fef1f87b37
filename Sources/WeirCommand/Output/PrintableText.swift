// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes text from other sources safe to show.
extension String {
    /// The largest number of scalars in a shown line.
    private static var longestLine: Int { 500 }

    /// The text on one line, cut if it is long; `?` replaces characters that could move a terminal's cursor.
    var printableLine: String {
        let shown = String(String.UnicodeScalarView(self.unicodeScalars.prefix(Self.longestLine)))
        let isCut = self.unicodeScalars.dropFirst(Self.longestLine).first != nil
        return shown.printable + (isCut ? "…" : "")
    }

    /// The text on one line, at any length.
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

    /// The text as one word of a shell command, in quotes if necessary.
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
