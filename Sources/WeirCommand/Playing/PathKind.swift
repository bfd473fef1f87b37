// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// The kind of content that the name of a file or the path of a URL suggests.
enum PathKind: Hashable, Sendable {
    /// A file with sound in it.
    case audio
    case playlist
    /// A folder: the name ends with a slash.
    case folder
    /// None of these.
    case unknown

    /// The extensions of Microsoft's and RealAudio's playlists, which have no media type of their
    /// own.
    static let untypedLists = ["asx", "wax", "wvx", "ram"]

    /// The kind that a path suggests by its extension, or by a slash at its end.
    init(path: String) {
        guard path.utf8.last != UInt8(ascii: "/") else {
            self = .folder
            return
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let end = Self.fileExtension(of: name) else {
            self = .unknown
            return
        }
        self =
            Self.untypedLists.contains(end.lowercased())
            ? .playlist : Self.kind(of: MediaType(fileExtension: end))
    }

    /// The kind that an entry of a folder suggests, by its name, or else by its media type.
    init(_ entry: FolderEntry) {
        guard entry.kind == .file else {
            self = .folder
            return
        }
        let byName = PathKind(path: entry.name)
        self = byName == .unknown ? Self.kind(of: entry.mediaType) : byName
    }

    static func kind(of type: MediaType?) -> PathKind {
        guard let type else { return .unknown }
        if Self.playlists.contains(type.canonical) { return .playlist }
        // A film counts as sound, since it has a sound track.
        let isSound = type.topLevel == "audio" || type.topLevel == "video" || type.canonical == .ogg
        return isSound ? .audio : .unknown
    }

    /// Whether an entry is a film according to its name, encrypted or not.
    static func isFilm(_ entry: FolderEntry) -> Bool {
        Self.fileExtension(of: entry.content(isDecrypted: true).name).flatMap {
            MediaType(fileExtension: $0)
        }?.topLevel == "video"
    }

    private static func fileExtension(of name: String) -> String? {
        name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last.map(
            String.init
        )
    }

    private static let playlists: Set<MediaType> = [
        .m3uPlaylist, .plsPlaylist, .xspfPlaylist, .hlsPlaylist,
    ]
}

extension FolderEntry {
    /// The extensions of encrypted files, which follow the extension of the content.
    private static let encryptedEnds = [".age", ".aes", ".enc"]

    /// The extension for encryption, in lower case; `nil` without one.
    private var encryptedEnd: String? {
        let name = self.name.lowercased()
        return self.kind == .file ? Self.encryptedEnds.first(where: name.hasSuffix) : nil
    }

    /// Whether the name is that of an encrypted file.
    var isEncrypted: Bool { self.encryptedEnd != nil }

    /// The entry with the name of its content: if Weir decrypts it, without the extension for
    /// encryption.
    func content(isDecrypted: Bool) -> FolderEntry {
        guard isDecrypted, let end = self.encryptedEnd else { return self }
        return FolderEntry(name: String(self.name.dropLast(end.count)), kind: self.kind)
    }

    /// Whether the entry is a playable file, by its name, or else by its media type.
    func isPlayable(isDecrypted: Bool) -> Bool {
        guard self.kind == .file else { return false }
        let entry = self.content(isDecrypted: isDecrypted)
        let name = ResourceName(display: "", authority: "", fileName: entry.name)
        let type = name.fileExtension.flatMap { MediaType(fileExtension: $0) } ?? entry.mediaType
        return type?.isMedia == true
    }
}

extension String {
    /// Whether a name comes before another in natural order: `2` before `10`.
    ///
    /// This is a strict total order. Case and leading zeros matter only if the names are otherwise
    /// equal.
    func precedesNaturally(_ other: String) -> Bool {
        if let isBefore = Self.isBefore(self.utf8[...], other.utf8[...]) { return isBefore }
        var (first, second) = (Array(self.lowercased())[...], Array(other.lowercased())[...])
        while let a = first.first, let b = second.first {
            if Self.isDigit(a), Self.isDigit(b) {
                let (one, two) = (Self.number(&first), Self.number(&second))
                // Numbers may have any length: without leading zeros, the longer is the larger.
                guard one.count == two.count else { return one.count < two.count }
                if one != two { return one.lexicographicallyPrecedes(two) }
            } else {
                guard a == b else {
                    // A digit with a combining mark sorts between two digits. The comparison with
                    // "0" puts it after every number.
                    if Self.isDigit(a) { return "0" < b }
                    return Self.isDigit(b) ? a < "0" : a < b
                }
                first = first.dropFirst()
                second = second.dropFirst()
            }
        }
        guard first.isEmpty, second.isEmpty else { return first.isEmpty }
        return Array(self.utf8).lexicographicallyPrecedes(Array(other.utf8))
    }

    /// Compares by bytes without allocation; `nil` if a control character or a character beyond
    /// ASCII may decide.
    private static func isBefore(_ one: Substring.UTF8View, _ other: Substring.UTF8View) -> Bool? {
        var (first, second) = (one, other)
        while let a = first.first, let b = second.first {
            guard self.isPlain(a), self.isPlain(b) else { return nil }
            if self.isDigit(a), self.isDigit(b) {
                let numbers = (
                    first.prefix(while: self.isDigit), second.prefix(while: self.isDigit)
                )
                first = first[numbers.0.endIndex...]
                second = second[numbers.1.endIndex...]
                // A combining mark may follow the last digit.
                guard first.first.map(self.isPlain) ?? true, second.first.map(self.isPlain) ?? true
                else { return nil }
                let zero = UInt8(ascii: "0")
                let values = (numbers.0.drop { $0 == zero }, numbers.1.drop { $0 == zero })
                guard values.0.count == values.1.count else {
                    return values.0.count < values.1.count
                }
                if !values.0.elementsEqual(values.1) {
                    return values.0.lexicographicallyPrecedes(values.1)
                }
            } else {
                first = first.dropFirst()
                second = second.dropFirst()
                let (lower, otherLower) = (self.lowercased(a), self.lowercased(b))
                guard lower == otherLower else {
                    let isAlone = self.isPlain(first.first ?? a) && self.isPlain(second.first ?? b)
                    return isAlone ? lower < otherLower : nil
                }
            }
        }
        guard first.isEmpty, second.isEmpty else {
            return (first.first ?? second.first).map(self.isPlain) == true ? first.isEmpty : nil
        }
        return one.lexicographicallyPrecedes(other)
    }

    /// Whether a byte is a whole character, unless a combining mark follows.
    private static func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x80).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Removes a number from the text, and returns it without leading zeros.
    private static func number(_ text: inout ArraySlice<Character>) -> ArraySlice<Character> {
        let digits = text.prefix(while: Self.isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == "0" }
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
