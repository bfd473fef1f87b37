// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioTags {
    /// The title of the piece.
    public var title: String? { self.text(AudioTagRole.title) }
    /// Who plays it; the first, if there are several.
    public var artist: String? { self.text(AudioTagRole.artist) }
    /// The album it is from.
    public var album: String? { self.text(AudioTagRole.album) }
    /// Who the album is by.
    public var albumArtist: String? { self.text(AudioTagRole.albumArtist) }
    /// Who wrote it.
    public var composer: String? { self.text(AudioTagRole.composer) }
    /// When it was recorded or released, as the tag writes it: a year, or a date that starts with one.
    public var date: String? { self.text(AudioTagRole.date) }
    /// A comment; of those with a description, the one without, and never one of iTunes' own.
    public var comment: String? { self.described(AudioTagRole.comment) }
    /// The words that are sung.
    public var lyrics: String? { self.described(AudioTagRole.lyrics) }

    /// What kind of music it is, by name; numbers of ID3 are resolved.
    public var genres: [String] {
        for name in AudioTagRole.genre {
            let values = self.values(name)
            guard !values.isEmpty else { continue }
            return name == "TCON" ? values.flatMap(ID3Genres.resolve) : values
        }
        return []
    }

    /// The number of the piece on its disc.
    public var trackNumber: Int? { self.part(AudioTagRole.track, 0) }
    /// How many pieces the disc has.
    public var trackCount: Int? {
        self.part(AudioTagRole.track, 1) ?? self.part(AudioTagRole.trackTotal, 0)
    }
    /// The number of the disc.
    public var discNumber: Int? { self.part(AudioTagRole.disc, 0) }
    /// How many discs there are.
    public var discCount: Int? {
        self.part(AudioTagRole.disc, 1) ?? self.part(AudioTagRole.discTotal, 0)
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
