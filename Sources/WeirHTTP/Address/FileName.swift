// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Names of files as they come from an origin, made harmless.
enum FileName {
    /// The last component of what may be a path of any system, without control characters and without
    /// blanks around it, cut to 255 bytes; `nil` if nothing is left or it means a folder.
    static func sanitized(_ text: String) -> String? {
        let last = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let component = last.split(separator: "\\", omittingEmptySubsequences: false).last ?? ""
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in component.unicodeScalars where !Self.isControl(scalar) {
            bytes += UTF8.width(scalar)
            guard bytes <= 255 else { break }
            scalars.append(scalar)
        }
        var name = String(scalars)[...]
        while let first = name.first, first.isWhitespace { name.removeFirst() }
        while let last = name.last, last.isWhitespace { name.removeLast() }
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        return String(name)
    }

    /// Control characters, and the marks that reverse the direction of what is shown.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
