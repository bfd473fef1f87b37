// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The number of terminal cells that text takes.
extension StringProtocol {
    /// The number of cells that the text takes.
    var cellCount: Int { self.reduce(0) { $0 + $1.cellCount } }
}

extension String {
    /// The text cut to a number of cells; an ellipsis marks the cut.
    func cut(toCells width: Int) -> String {
        guard self.cellCount > width else { return self }
        guard width > 0 else { return "" }
        var kept = ""
        var left = width - 1
        for character in self {
            let cells = character.cellCount
            guard cells <= left else { break }
            kept.append(character)
            left -= cells
        }
        return "\(kept)…"
    }

    /// The text in lines of at most `width` cells, broken between words.
    ///
    /// A word that is too long stays whole, and the last allowed line takes the rest of the text.
    /// The caller cuts such lines.
    func wrapped(toCells width: Int, lineCount: Int) -> [String] {
        var lines: [String] = []
        for word in self.split(separator: " ") {
            if let last = lines.last,
                lines.count == lineCount || last.cellCount + 1 + word.cellCount <= width
            {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The text in exactly `width` cells: cut, or padded with blanks.
    func fitted(toCells width: Int) -> String {
        let cut = self.cut(toCells: width)
        return cut + String(repeating: " ", count: max(0, width - cut.cellCount))
    }
}

extension Character {
    /// The number of cells of a character in a terminal.
    ///
    /// East Asian wide characters and emoji have two cells, and a combining mark without a letter
    /// has none.
    fileprivate var cellCount: Int {
        var width = 0
        for scalar in self.unicodeScalars {
            // The selector requests the picture form of a character that also has a plain form.
            if scalar.value == 0xFE0F { return 2 }
            width = max(width, scalar.cellCount)
        }
        return width
    }
}

extension Unicode.Scalar {
    fileprivate var cellCount: Int {
        guard self.value >= 0x300 else { return self.value < 0x20 ? 0 : 1 }
        switch self.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return self.isWide ? 2 : 1
        }
    }

    /// Whether the character has two cells; a binary search, since the ranges are in order.
    private var isWide: Bool {
        var (low, high) = (0, Self.wide.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.wide[middle].upperBound < self.value { low = middle + 1 } else { high = middle }
        }
        return low < Self.wide.count && Self.wide[low].contains(self.value)
    }

    /// The wide and fullwidth characters of Unicode (UAX #11), with the unassigned gaps in a block
    /// filled.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
        0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
        0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
        0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
        0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
        0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
        0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
        0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F202, 0x1F210...0x1F23B,
        0x1F240...0x1F248, 0x1F250...0x1F251, 0x1F260...0x1F265, 0x1F300...0x1F320,
        0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
        0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E,
        0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E,
        0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
        0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2,
        0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
        0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
        0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
