// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A file name for the end of an address that a player is given: letters, digits, `-`, `_` and the extension that
/// players go by.
package struct LegibleFileName: Hashable, Sendable {
    /// The name, at most 64 characters and the extension; `media` where nothing legible is left.
    package let text: String

    /// Makes the name of a medium.
    ///
    /// - Parameters:
    ///   - name: the name of the file, as the source has it.
    ///   - type: what it is; decides the extension.
    package init(_ name: String?, type: MediaType?) {
        var stem = name ?? ""
        var known: String?
        if let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
            let own = String(stem[stem.index(after: dot)...])
            if MediaType(fileExtension: own) != nil {
                known = own.lowercased()
                stem = String(stem[..<dot])
            }
        }
        let legible = Self.legible(stem)
        var suffix = type?.preferredFileExtension ?? known
        // A name that already says what it is keeps its own way of saying it: `.m4v`, `.oga`.
        if let known, let type, MediaType(fileExtension: known) == type { suffix = known }
        self.text = (legible.isEmpty ? "media" : legible) + (suffix.map { ".\($0)" } ?? "")
    }

    /// At most 64 letters and digits of ASCII, with a `-` for whatever stands between them.
    private static func legible(_ name: String) -> String {
        var legible = ""
        for character in name.unicodeScalars {
            let isPlain =
                character.isASCII && (character.properties.isAlphabetic || character.value == 0x5F)
                || ("0"..."9").contains(character)
            if isPlain {
                legible.unicodeScalars.append(character)
            } else if !legible.isEmpty, legible.last != "-" {
                legible.append("-")
            }
            if legible.utf8.count == 64 { break }
        }
        while legible.last == "-" { legible.removeLast() }
        return legible
    }
}
