// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A tag of ID3 version 1 or 1.1: 128 bytes of fixed fields at the end of a file (id3.org/ID3v1).
///
///      0 "TAG" | 3 title 30 | 33 artist 30 | 63 album 30 | 93 year 4 | 97 comment 30 | 127 genre
///     1.1: the comment is 28 long, a 0 follows, and then the number of the track
extension TagForm {
    /// How many bytes the tag has.
    static let id3v1Count = 128
    /// How many bytes the enhancement `TAG+` has, which some programs write before the tag.
    static let enhancedID3v1Count = 227

    /// Whether the bytes can be such a tag: its texts have no control characters.
    ///
    /// - Parameter view: the bytes from the tag's first byte on; any number of them.
    /// - Returns: `false` if a byte cannot be in the tag.
    static func mayBeID3v1(_ view: ByteView) -> Bool {
        for index in min(3, view.count)..<min(93, view.count) {
            switch view[index] {
            case 0, 9, 10, 13, 0x20...: continue
            default: return false
            }
        }
        return true
    }

    /// Reads the tag, with ID3v2's names for its fields.
    ///
    /// Texts are Latin-1 and end at the first NUL; the reader drops white space at both ends. The
    /// result has the name of the genre.
    ///
    /// - Parameters:
    ///   - view: at most 128 bytes; missing bytes count as 0.
    ///   - range: the range of the tag in the stream.
    /// - Returns: `TIT2`, `TPE1`, `TALB`, `TDRC`, `COMM:ID3v1 Comment:eng`, `TRCK`, `TCON`, as far
    ///   as they are set.
    static func readID3v1(_ view: ByteView, range: Range<Int64>) -> TagContents {
        var contents = TagContents(kind: .id3v1, range: range)
        let comment = "COMM:ID3v1 Comment:eng"
        let texts = [
            ("TIT2", 3..<33), ("TPE1", 33..<63), ("TALB", 63..<93), ("TDRC", 93..<97),
            (comment, 97..<126),
        ]
        for (name, position) in texts {
            let text = Self.text(view, position)
            if !text.isEmpty { contents.append(name, [text]) }
        }
        guard view.count == Self.id3v1Count else { return contents }
        // A comment padded with spaces ends in a space, which does not mean track 32.
        let track = view[126]
        if track != 0, track != 0x20 || view[125] == 0 { contents.append("TRCK", [String(track)]) }
        if let genre = AudioTags.genre(Int(view[127])) { contents.append("TCON", [genre]) }
        return contents
    }

    private static func text(_ view: ByteView, _ position: Range<Int>) -> String {
        var field = view.from(position.lowerBound)
        if field.count > position.count { field = field[0..<position.count] }
        var end = field.firstIndex(of: 0) ?? field.count
        var start = 0
        while end > 0, Self.isSpace(field[end - 1]) { end -= 1 }
        while start < end, Self.isSpace(field[start]) { start += 1 }
        return field[start..<end].latin1Text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 9 && byte <= 13)
    }
}

/// The genres with numbers in ID3: 0 to 79 by ID3v1, 80 to 191 by Winamp.
extension AudioTags {
    /// The names, in the order of their numbers.
    private static let genreNames = """
        Blues|Classic Rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New Age|Oldies\
        |Other|Pop|R&B|Rap|Reggae|Rock|Techno|Industrial|Alternative|Ska|Death Metal|Pranks\
        |Soundtrack|Euro-Techno|Ambient|Trip-Hop|Vocal|Jazz+Funk|Fusion|Trance|Classical\
        |Instrumental|Acid|House|Game|Sound Clip|Gospel|Noise|Alt. Rock|Bass|Soul|Punk|Space\
        |Meditative|Instrumental Pop|Instrumental Rock|Ethnic|Gothic|Darkwave|Techno-Industrial\
        |Electronic|Pop-Folk|Eurodance|Dream|Southern Rock|Comedy|Cult|Gangsta Rap|Top 40\
        |Christian Rap|Pop/Funk|Jungle|Native American|Cabaret|New Wave|Psychedelic|Rave\
        |Showtunes|Trailer|Lo-Fi|Tribal|Acid Punk|Acid Jazz|Polka|Retro|Musical|Rock & Roll\
        |Hard Rock|Folk|Folk-Rock|National Folk|Swing|Fast-Fusion|Bebop|Latin|Revival|Celtic\
        |Bluegrass|Avantgarde|Gothic Rock|Progressive Rock|Psychedelic Rock|Symphonic Rock\
        |Slow Rock|Big Band|Chorus|Easy Listening|Acoustic|Humour|Speech|Chanson|Opera\
        |Chamber Music|Sonata|Symphony|Booty Bass|Primus|Porn Groove|Satire|Slow Jam|Club|Tango\
        |Samba|Folklore|Ballad|Power Ballad|Rhythmic Soul|Freestyle|Duet|Punk Rock|Drum Solo\
        |A Cappella|Euro-House|Dance Hall|Goa|Drum & Bass|Club-House|Hardcore|Terror|Indie\
        |BritPop|Afro-Punk|Polsk Punk|Beat|Christian Gangsta Rap|Heavy Metal|Black Metal\
        |Crossover|Contemporary Christian|Christian Rock|Merengue|Salsa|Thrash Metal|Anime|JPop\
        |Synthpop|Abstract|Art Rock|Baroque|Bhangra|Big Beat|Breakbeat|Chillout|Downtempo|Dub\
        |EBM|Eclectic|Electro|Electroclash|Emo|Experimental|Garage|Global|IDM|Illbient\
        |Industro-Goth|Jam Band|Krautrock|Leftfield|Lounge|Math Rock|New Romantic|Nu-Breakz\
        |Post-Punk|Post-Rock|Psytrance|Shoegaze|Space Rock|Trop Rock|World Music|Neoclassical\
        |Audiobook|Audio Theatre|Neue Deutsche Welle|Podcast|Indie Rock|G-Funk|Dubstep\
        |Garage Rock|Psybient
        """.split(separator: "|").map(String.init)

    /// The name of a genre.
    ///
    /// - Parameter number: from 0.
    /// - Returns: `nil` from 192 on.
    static func genre(_ number: Int) -> String? {
        Self.genreNames.indices.contains(number) ? Self.genreNames[number] : nil
    }

    /// The genres of a `TCON` value (ID3v2.3 §4.2.1, ID3v2.4 §4.2.3).
    ///
    ///     "17" and "(17)" are Rock; "(4)Eurodisco" is Disco and Eurodisco;
    ///     "(RX)(CR)" is Remix and Cover; "((text)" is "(text)";
    ///     a number without a name is "Unknown"; anything else is a name.
    ///
    /// - Parameter value: the value as stored.
    /// - Returns: the names, without duplicates.
    static func resolveGenre(_ value: String) -> [String] {
        if let genre = Self.shortGenre(value) { return [genre] }
        var genres: [String] = []
        var rest = Substring(value)
        while rest.first == "(", let end = rest.firstIndex(of: ")") {
            let word = String(rest[rest.index(after: rest.startIndex)..<end])
            guard let genre = Self.shortGenre(word) else { break }
            genres.append(genre)
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("((") { rest = rest.dropFirst() }
        if !rest.isEmpty, !genres.contains(String(rest)) { genres.append(String(rest)) }
        return genres
    }

    /// A number, `RX` or `CR`.
    private static func shortGenre(_ word: String) -> String? {
        if word == "RX" { return "Remix" }
        if word == "CR" { return "Cover" }
        let isNumber = word.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard isNumber, !word.isEmpty else { return nil }
        guard let number = Int(word), number < 256 else { return nil }
        return Self.genre(number) ?? "Unknown"
    }
}
