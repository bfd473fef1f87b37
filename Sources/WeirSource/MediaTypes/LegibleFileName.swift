// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A file name at the end of a URL for a player: letters, digits, `-`, `_` and an extension.
///
/// Players derive the type from the extension.
package struct LegibleFileName: Hashable, Sendable {
    /// The name, at most 64 characters and the extension; `media` if nothing legible is left.
    package let text: String

    /// Makes the name of a medium.
    ///
    /// - Parameters:
    ///   - name: the name of the file, as the source has it.
    ///   - type: the type of the medium; decides the extension.
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
        // A name with a correct extension keeps its own variant: `.m4v`, `.oga`.
        if let known, let type, MediaType(fileExtension: known) == type { suffix = known }
        self.text = (legible.isEmpty ? "media" : legible) + (suffix.map { ".\($0)" } ?? "")
    }

    /// At most 64 characters: letters and digits of ASCII, `_`, and a `-` for each run of other characters.
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
