// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Names of files from an origin, a station or a cache, made harmless.
///
/// All names that the user did not choose go through this type; names that the user gave are used
/// unchanged.
package enum FileName {
    /// The longest name that a file system accepts, in bytes.
    package static let longest = 255
    /// The number of scalars that are read of a text; a name needs fewer.
    private static let scalarLimit = 4096
    /// The longest extension that stays when a name is cut, in bytes.
    private static let longestExtension = 16

    /// The last component of a path of any system, fit to show and to derive a type from.
    ///
    /// The name has no control characters, no marks that change the writing direction and no blanks
    /// around it. It is cut to 255 bytes between two characters and before its extension.
    ///
    /// - Returns: `nil` if nothing is left or the name means a folder.
    package static func component(_ text: String) -> String? {
        if self.isPlain(text) { return text }
        // Compares scalars: a slash with a combining mark is not a slash to a string, but it is one
        // to a file system.
        let last =
            text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
            .last ?? Substring.UnicodeScalarView()
        let name = self.cut(self.trimmed(self.shown(last)), to: self.longest)
        return !self.isSeen(name) || name == "." || name == ".." ? nil : name
    }

    /// A safe name for a file that the user did not name.
    ///
    /// In addition to the promises of ``component(_:)``, the name does not begin with a dot, which
    /// hides a file, or with a hyphen, as the options of commands do. It is not a name that a
    /// system reserves for a device (`con`, `nul.txt`). On Apple systems it contains no colon.
    ///
    /// - Parameters:
    ///   - text: a name, or a path of any system.
    ///   - limit: the most bytes that the name may have.
    /// - Returns: `nil` if nothing is left.
    package static func cleaned(_ text: String, limit: Int = FileName.longest) -> String? {
        self.component(text).flatMap { self.withoutTraps($0, limit: limit) }
    }

    /// A safe name for a text that is not a path, such as a title: separators become underscores.
    package static func cleaned(title: String, limit: Int = FileName.longest) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in title.unicodeScalars.prefix(self.scalarLimit) {
            scalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
        }
        return self.withoutTraps(self.shown(scalars), limit: limit)
    }

    /// A safe file name for a name in a storage, in the notation of `FolderPath`.
    ///
    /// Its bytes stay, including backslashes and bytes that are not text. Apple's file systems
    /// accept only text; there `%E9` stands for the byte E9, which is not text.
    ///
    /// - Returns: the name in the same notation; `nil` if nothing is left.
    package static func cleaned(listed name: String, limit: Int = FileName.longest) -> String? {
        let bytes = EscapedName.bytes(of: name)
        // While the name is processed, a scalar from a private range stands for each byte that is
        // not text.
        let marks: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF
        var scalars = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var rest = bytes[...]
        parsing: while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if !marks.contains(scalar.value) { scalars.append(scalar) }
                rest = rest.dropFirst(encoded.count)
            case .error(let length):
                for byte in rest.prefix(length) {
                    if let mark = Unicode.Scalar(0x10_FF00 + UInt32(byte)) { scalars.append(mark) }
                }
                rest = rest.dropFirst(length)
            case .emptyInput: break parsing
            }
        }
        // A name below the limit is not cut: its marks only make it look longer, and it gains one
        // character at most.
        let most = bytes.count < limit ? Int.max : limit
        guard let kept = self.withoutTraps(self.shown(scalars), limit: most) else { return nil }
        var out: [UInt8] = []
        for scalar in kept.unicodeScalars {
            guard marks.contains(scalar.value) else {
                out += String(Character(scalar)).utf8
                continue
            }
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            #if canImport(Darwin)
            out += "%\(String(byte, radix: 16, uppercase: true))".utf8
            #else
            out.append(byte)
            #endif
        }
        return EscapedName.text(of: out)
    }

    /// The name of a further file that would have the same name: `a (2).mp3`.
    ///
    /// - Parameters:
    ///   - name: as ``cleaned(listed:limit:)`` returns it.
    ///   - copy: the number of the file among the files with this name; 2 for the second.
    /// - Returns: the name in the same notation.
    package static func numbered(listed name: String, copy: Int) -> String {
        let mark = " (\(copy))"
        let short =
            EscapedName.bytes(of: name).count + mark.utf8.count > self.longest
            ? self.cleaned(listed: name, limit: self.longest - mark.utf8.count) ?? name : name
        guard let dot = short.lastIndex(of: "."), dot > short.startIndex else {
            return short + mark
        }
        return "\(short[..<dot])\(mark)\(short[dot...])"
    }

    /// The start of a name that fits into this many bytes, cut between two characters and before
    /// its extension.
    package static func cut(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        var suffix = ""
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            let end = name[dot...]
            if end.utf8.count <= min(self.longestExtension + 1, limit / 2) { suffix = String(end) }
        }
        var left = limit - suffix.utf8.count
        var stem = name.dropLast(suffix.count).prefix { character in
            left -= character.utf8.count
            return left >= 0
        }
        while stem.unicodeScalars.last == " " { stem.unicodeScalars.removeLast() }
        guard stem.isEmpty else { return "\(stem)\(suffix)" }
        // The first character has so many scalars that it does not fit.
        left = limit
        let scalars = name.unicodeScalars.prefix { scalar in
            left -= UTF8.width(scalar)
            return left >= 0
        }
        return String(scalars)
    }

    private static func withoutTraps(_ text: String, limit: Int) -> String? {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first,
            first == "." || first == "-" || first.properties.isWhitespace
        {
            scalars.removeFirst()
        }
        #if canImport(Darwin)
        // The Finder shows a colon in a file name as a slash.
        let name = String(scalars).replacing(":", with: "_")
        #else
        let name = String(scalars)
        #endif
        let stem = name.prefix { $0 != "." }.uppercased()
        let isReserved = self.devices.contains(self.trimmed(stem))
        let cut = self.cut(self.trimmed(isReserved ? "_\(name)" : name), to: limit)
        return self.isSeen(cut) ? cut : nil
    }

    /// Whether ``component(_:)`` returns a text as it is; false also for some such texts.
    ///
    /// A plain text is short. It consists of visible ASCII characters without slashes, and does not
    /// begin with a dot.
    private static func isPlain(_ text: String) -> Bool {
        guard (1...self.longest).contains(text.utf8.count) else { return false }
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes[0] != UInt8(ascii: ".")
                && bytes.allSatisfy {
                    0x20 < $0 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                }
        }
        return isPlain == true
    }

    /// Whether a name has any visible character.
    private static func isSeen(_ name: String) -> Bool {
        name.unicodeScalars.contains { !$0.properties.isDefaultIgnorableCodePoint }
    }

    /// Names that other systems reserve for devices, with any extension.
    private static let devices = Set(
        ["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    )

    /// Replaces line feeds and tabs by blanks, and removes invisible characters.
    private static func shown(_ text: some Sequence<Unicode.Scalar>) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.prefix(self.scalarLimit) {
            switch scalar.value {
            case 0x09...0x0D, 0x85, 0x2028, 0x2029: scalars.append(" ")
            // Control characters, invisible hyphens and blanks, marks of direction, of byte order
            // and of language, and specials (U+FFF0 to U+FFFB). Characters that join others affect
            // their look, so they stay.
            case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x034F, 0x061C, 0x180E, 0x200B, 0x200E...0x200F,
                0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF0...0xFFFB, 0xE0001:
                continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
