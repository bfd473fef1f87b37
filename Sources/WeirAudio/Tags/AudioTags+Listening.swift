// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The usual fields of every kind of tag.
///
/// The names are tried in their order. One list has the names of all kinds of tags, since they do
/// not collide.
extension AudioTags {
    private static let titleNames = ["TIT2", "TITLE", "\u{A9}nam", "INAM", "ETT"]
    private static let artistNames = ["TPE1", "ARTIST", "\u{A9}ART", "IART", "EAR"]
    private static let albumNames = ["TALB", "ALBUM", "\u{A9}alb", "IPRD", "EAL"]

    /// The title of the piece; the first one, if there are several.
    public var title: String? { self.text(Self.titleNames) }
    /// All titles of the piece, in the order of the tag.
    public var titles: [String] { self.texts(Self.titleNames) }
    /// The performer; the first one, if there are several.
    public var artist: String? { self.text(Self.artistNames) }
    /// All performers, in the order of the tag.
    public var artists: [String] { self.texts(Self.artistNames) }
    /// The album of the piece; the first one, if there are several.
    public var album: String? { self.text(Self.albumNames) }
    /// All albums of the piece, in the order of the tag.
    public var albums: [String] { self.texts(Self.albumNames) }
    /// The performer of the album.
    public var albumArtist: String? {
        self.text(["TPE2", "ALBUMARTIST", "ALBUM ARTIST", "ALBUM_ARTIST", "aART"])
    }
    /// The composer.
    public var composer: String? { self.text(["TCOM", "COMPOSER", "\u{A9}wrt", "IMUS"]) }
    /// The date of recording or release, as the tag writes it: a year, or a date that starts with a
    /// year.
    public var date: String? {
        self.text(["TDRC", "TDRL", "TYER", "DATE", "YEAR", "\u{A9}day", "ICRD"])
    }
    /// A comment, preferably without a description; never a comment of iTunes' own.
    public var comment: String? {
        self.described(["COMM", "COMMENT", "DESCRIPTION", "\u{A9}cmt", "ICMT"])
    }
    /// The lyrics.
    public var lyrics: String? {
        self.described(["USLT", "LYRICS", "UNSYNCEDLYRICS", "\u{A9}lyr", "LYR"])
    }

    /// The names of the genres; numbers of ID3 are replaced by names.
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

    /// The picture of the front cover, or else the first picture.
    public var frontCover: AudioPicture? {
        self.pictures.first { $0.kind == 3 } ?? self.pictures.first
    }

    /// The samples to drop according to iTunes, from a comment, a text with a description, or a
    /// field of MP4.
    var encoderGap: EncoderGap? {
        for field in self.fields {
            let parts = field.name.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.contains("iTunSMPB") else { continue }
            if let gap = field.values.lazy.compactMap(EncoderGap.init).first { return gap }
        }
        return nil
    }

    /// The first value that is not empty, from the first name with such a value.
    private func text(_ names: [String]) -> String? {
        for name in names {
            if let value = self.values(name).first(where: { !$0.isEmpty }) { return value }
        }
        return nil
    }

    /// All values that are not empty, from the first name with such a value, without duplicates.
    private func texts(_ names: [String]) -> [String] {
        for name in names {
            var seen = Set<String>()
            let values = self.values(name).filter { !$0.isEmpty && seen.insert($0).inserted }
            if !values.isEmpty { return values }
        }
        return []
    }

    /// The first text; also from fields with descriptions, `NAME:description:language`.
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

    /// A number from `3` or `3/12`.
    private func part(_ names: [String], _ index: Int) -> Int? {
        guard let text = self.text(names) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.indices.contains(index) else { return nil }
        let digits = parts[index].filter { $0 != " " }
        guard let number = Int(digits), number >= 0 else { return nil }
        return number
    }
}
