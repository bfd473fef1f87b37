// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The usual fields, whatever kind of tag they are in.
///
/// The names are tried in their order; those of all kinds are in one list, since they do not collide.
extension AudioTags {
    private static let titleNames = ["TIT2", "TITLE", "\u{A9}nam", "INAM", "ETT"]
    private static let artistNames = ["TPE1", "ARTIST", "\u{A9}ART", "IART", "EAR"]
    private static let albumNames = ["TALB", "ALBUM", "\u{A9}alb", "IPRD", "EAL"]

    /// The title of the piece; the first, if there are several.
    public var title: String? { self.text(Self.titleNames) }
    /// All titles of the piece, in the order of the tag.
    public var titles: [String] { self.texts(Self.titleNames) }
    /// The performer; the first, if there are several.
    public var artist: String? { self.text(Self.artistNames) }
    /// All performers, in the order of the tag.
    public var artists: [String] { self.texts(Self.artistNames) }
    /// The album it is from; the first, if there are several.
    public var album: String? { self.text(Self.albumNames) }
    /// All albums it is from, in the order of the tag.
    public var albums: [String] { self.texts(Self.albumNames) }
    /// The performer of the album.
    public var albumArtist: String? {
        self.text(["TPE2", "ALBUMARTIST", "ALBUM ARTIST", "ALBUM_ARTIST", "aART"])
    }
    /// The composer.
    public var composer: String? { self.text(["TCOM", "COMPOSER", "\u{A9}wrt", "IMUS"]) }
    /// When it was recorded or released, as the tag writes it: a year, or a date that starts with one.
    public var date: String? {
        self.text(["TDRC", "TDRL", "TYER", "DATE", "YEAR", "\u{A9}day", "ICRD"])
    }
    /// A comment; of those with a description, the one without, and never one of iTunes' own.
    public var comment: String? {
        self.described(["COMM", "COMMENT", "DESCRIPTION", "\u{A9}cmt", "ICMT"])
    }
    /// The words that are sung.
    public var lyrics: String? {
        self.described(["USLT", "LYRICS", "UNSYNCEDLYRICS", "\u{A9}lyr", "LYR"])
    }

    /// What kind of music it is, by name; numbers of ID3 are resolved.
    public var genres: [String] {
        for name in ["TCON", "GENRE", "\u{A9}gen", "gnre", "IGNR"] {
            let values = self.values(name)
            guard !values.isEmpty else { continue }
            return name == "TCON" ? values.flatMap(Self.resolveGenre) : values
        }
        return []
    }

    /// The number of the piece on its disc.
    public var trackNumber: Int? {
        self.part(["TRCK", "TRACKNUMBER", "TRACK", "trkn", "ITRK", "IPRT"], 0)
    }
    /// How many pieces the disc has.
    public var trackCount: Int? {
        self.part(["TRCK", "TRACKNUMBER", "TRACK", "trkn", "ITRK", "IPRT"], 1)
            ?? self.part(["TRACKTOTAL", "TOTALTRACKS"], 0)
    }
    /// The number of the disc.
    public var discNumber: Int? { self.part(["TPOS", "DISCNUMBER", "DISC", "disk"], 0) }
    /// How many discs there are.
    public var discCount: Int? {
        self.part(["TPOS", "DISCNUMBER", "DISC", "disk"], 1)
            ?? self.part(["DISCTOTAL", "TOTALDISCS"], 0)
    }

    /// The picture of the front, or else the first there is.
    public var frontCover: AudioPicture? {
        self.pictures.first { $0.kind == 3 } ?? self.pictures.first
    }

    /// What iTunes says of samples to drop, as a comment, a text of its own, or a field of MP4.
    var encoderGap: EncoderGap? {
        for field in self.fields {
            let parts = field.name.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.contains("iTunSMPB") else { continue }
            if let gap = field.values.lazy.compactMap(EncoderGap.init).first { return gap }
        }
        return nil
    }

    /// The first value of the first of several names that has one that is not empty.
    private func text(_ names: [String]) -> String? {
        for name in names {
            if let value = self.values(name).first(where: { !$0.isEmpty }) { return value }
        }
        return nil
    }

    /// All values of the first of several names that has one that is not empty; none comes twice.
    private func texts(_ names: [String]) -> [String] {
        for name in names {
            var seen = Set<String>()
            let values = self.values(name).filter { !$0.isEmpty && seen.insert($0).inserted }
            if !values.isEmpty { return values }
        }
        return []
    }

    /// The same for fields that have descriptions, `NAME:description:language`.
    private func described(_ names: [String]) -> String? {
        if let text = self.text(names) { return text }
        var best: String?
        for field in self.fields {
            let parts = field.name.split(
                separator: ":",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, names.contains(String(parts[0])), !parts[1].hasPrefix("iTun"),
                let value = field.values.first, !value.isEmpty
            else { continue }
            if parts[1].hasPrefix(":") { return value }
            best = best ?? value
        }
        return best
    }

    /// A number of `3` or `3/12`.
    private func part(_ names: [String], _ index: Int) -> Int? {
        guard let text = self.text(names) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.indices.contains(index) else { return nil }
        let digits = parts[index].filter { $0 != " " }
        guard let number = Int(digits), number >= 0 else { return nil }
        return number
    }
}
