// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a file of a recording is to be called.
struct RecordingFile: Hashable, Sendable {
    /// The which of the recording it is, from 1.
    var number: Int
    /// What the station said is in it; `nil` if it said nothing.
    var title: String?
    /// What the name ends with, without its dot.
    var fileExtension: String

    /// The longest name in bytes; names of files may have 255, and there is more to add to them.
    static let longestName = 200

    /// The name of the file: `01 Artist - Title.mp3`.
    ///
    /// - Parameters:
    ///   - station: stands for the title where there is none.
    ///   - copy: the which of its name the file is in its folder; from 2 on that is added to the name.
    /// - Returns: a name that is safe on every file system: without separators and control characters, not too long,
    ///   no dot in front.
    func name(station: String, copy: Int = 1) -> String {
        let number = self.number < 10 ? "0\(self.number)" : "\(self.number)"
        let end = (copy > 1 ? " (\(copy))" : "") + "." + self.fileExtension
        let text = [self.title ?? "", station, "Recording"].lazy.map(Self.safe).first {
            !$0.isEmpty
        }
        let room = Self.longestName - number.utf8.count - 1 - end.utf8.count
        return number + " " + Self.cut(text ?? "", to: room) + end
    }

    /// The text with what no name may hold replaced, and without dots and spaces at its ends.
    private static func safe(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var isSpace = true
        // Names are short: what is far behind cannot be in one.
        for scalar in text.unicodeScalars.prefix(4 * Self.longestName) {
            switch scalar.value {
            case 0x20, 0x09...0x0D, 0xA0, 0x2028, 0x2029:
                if !isSpace { scalars.append(" ") }
                isSpace = true
                continue
            // Control characters, and those that turn the direction of writing or cannot be seen.
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
                0xFFF0...0xFFFD, 0xE0000...0xE007F:
                continue
            case 0x22: scalars.append("'")
            case 0x2F, 0x5C, 0x3A, 0x2A, 0x3F, 0x3C, 0x3E, 0x7C: scalars.append("_")
            default: scalars.append(scalar)
            }
            isSpace = false
        }
        let isEdge: (Unicode.Scalar) -> Bool = { $0 == "." || $0 == " " }
        guard let last = scalars.lastIndex(where: { !isEdge($0) }) else { return "" }
        return String(scalars[...last].drop(while: isEdge))
    }

    /// As many scalars of a text as fit into so many bytes.
    private static func cut(_ text: String, to count: Int) -> String {
        var scalars = String.UnicodeScalarView()
        var left = count
        for scalar in text.unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            scalars.append(scalar)
        }
        while let last = scalars.last, last == " " || last == "." { scalars.removeLast() }
        return String(scalars)
    }
}
