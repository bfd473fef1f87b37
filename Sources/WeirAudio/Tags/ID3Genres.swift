// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The genres that ID3 has numbers for: 0 to 79 by ID3v1, 80 to 191 by Winamp.
enum ID3Genres {
    /// The names, in the order of their numbers.
    private static let names = """
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
    static func name(_ number: Int) -> String? {
        Self.names.indices.contains(number) ? Self.names[number] : nil
    }

    /// The genres that a `TCON` means (ID3v2.3 §4.2.1, ID3v2.4 §4.2.3).
    ///
    ///     "17" and "(17)" are Rock; "(4)Eurodisco" is Disco and Eurodisco; "(RX)(CR)" Remix and Cover;
    ///     "((text)" is "(text)"; a number without a name is "Unknown"; anything else is a name.
    ///
    /// - Parameter value: a value as it is stored.
    /// - Returns: the names, each once.
    static func resolve(_ value: String) -> [String] {
        if let genre = Self.short(value) { return [genre] }
        var genres: [String] = []
        var rest = Substring(value)
        while rest.first == "(", let end = rest.firstIndex(of: ")") {
            let word = String(rest[rest.index(after: rest.startIndex)..<end])
            guard let genre = Self.short(word) else { break }
            genres.append(genre)
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("((") { rest = rest.dropFirst() }
        if !rest.isEmpty, !genres.contains(String(rest)) { genres.append(String(rest)) }
        return genres
    }

    /// A number, `RX` or `CR`.
    private static func short(_ word: String) -> String? {
        if word == "RX" { return "Remix" }
        if word == "CR" { return "Cover" }
        let isNumber = word.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard isNumber, !word.isEmpty else { return nil }
        guard let number = Int(word), number < 256 else { return nil }
        return Self.name(number) ?? "Unknown"
    }
}
