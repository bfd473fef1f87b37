// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads what is in a frame of an ID3v2 tag (id3v2.4.0-frames §4).
///
/// | frames | name of the field | values |
/// |---|---|---|
/// | `T???`, `GRP1`, `MVNM`, `MVIN` | the frame's | the texts |
/// | `TIPL`, `TMCL`, `IPLS` | the frame's | role, name, role, name… |
/// | `TXXX` | `TXXX:description` | the texts |
/// | `COMM`, `USLT`, `SYLT` | `COMM:description:language` | the texts; of SYLT without their times |
/// | `USER` | `USER:language` | the text |
/// | `W???` | the frame's | the address |
/// | `WXXX` | `WXXX:description` | the address |
/// | `UFID` | `UFID:owner` | the identifier, if it is text |
/// | `POPM` | `POPM:address` | rating, and the counter if there is one |
/// | `PCNT` | `PCNT` | the counter |
/// | `GEOB` | `GEOB:description` | media type, file name |
/// | `PRIV` | `PRIV:owner` | none |
/// | others | the frame's | none |
///
/// `APIC` becomes a picture. A text frame that has nothing behind its encoding is no field.
struct ID3v2FrameReader {
    let name: String
    /// Whether zeros behind a text are padding, as before 2.4.
    let isPadded: Bool
    /// Whether a picture has three letters for its type, as in 2.2.
    let hasShortImageFormat: Bool
    /// What the tag says so far; this frame is added.
    var contents: TagContents

    /// Reads the frame.
    ///
    /// - Parameter view: what is in it, not empty.
    mutating func read(_ view: ByteView) {
        switch self.name {
        case "TXXX": self.readDescribed(view, hasLanguage: false)
        case "COMM", "USLT": self.readDescribed(view, hasLanguage: true)
        case "SYLT": self.readSynchronisedLyrics(view)
        case "USER": self.readTermsOfUse(view)
        case "WXXX": self.readDescribedLink(view)
        case "APIC": self.readPicture(view)
        case "UFID", "PRIV", "POPM", "PCNT": self.readOwned(view)
        case "GEOB": self.readObject(view)
        case "IPLS", "GRP1", "MVNM", "MVIN": self.readTexts(view)
        case _ where self.name.hasPrefix("T"): self.readTexts(view)
        case _ where self.name.hasPrefix("W"):
            let end = view.firstIndex(of: 0) ?? view.count
            self.contents.append(self.name, [view[0..<end].latin1Text])
        default: self.contents.append(self.name, [])
        }
    }

    private mutating func readTexts(_ view: ByteView) {
        guard var text = ID3v2TextReader(view) else { return self.contents.note(.badTag) }
        guard !text.view.isEmpty else { return }
        self.contents.append(
            self.name,
            text.texts(limit: self.contents.left, isPadded: self.isPadded)
        )
    }

    /// Encoding, three letters of a language, a description, texts.
    private mutating func readDescribed(_ view: ByteView, hasLanguage: Bool) {
        guard var text = ID3v2TextReader(view), let language = text.skip(hasLanguage ? 3 : 0) else {
            return self.contents.note(.badTag)
        }
        var name = "\(self.name):\(text.text())"
        if hasLanguage { name += ":" + language.latin1Text }
        guard !text.view.isEmpty else { return }
        let values = text.texts(limit: self.contents.left, isPadded: self.isPadded)
        self.contents.append(name, self.name == "USLT" ? Array(values.prefix(1)) : values)
    }

    /// Encoding, language, the form of times, the kind of text, a description, and texts with a time of 4 bytes each.
    private mutating func readSynchronisedLyrics(_ view: ByteView) {
        guard var text = ID3v2TextReader(view), let language = text.skip(3), text.skip(2) != nil
        else {
            return self.contents.note(.badTag)
        }
        let name = "SYLT:\(text.text()):\(language.latin1Text)"
        var values: [String] = []
        while !text.view.isEmpty, values.count <= self.contents.left {
            values.append(text.text())
            guard text.skip(4) != nil else { break }
        }
        self.contents.append(name, values)
    }

    private mutating func readTermsOfUse(_ view: ByteView) {
        guard var text = ID3v2TextReader(view), let language = text.skip(3), !text.view.isEmpty
        else {
            return self.contents.note(.badTag)
        }
        self.contents.append("USER:\(language.latin1Text)", [text.text()])
    }

    private mutating func readDescribedLink(_ view: ByteView) {
        guard var text = ID3v2TextReader(view) else { return self.contents.note(.badTag) }
        let name = "WXXX:\(text.text())"
        guard !text.view.isEmpty else { return }
        self.contents.append(name, [text.latin1()])
    }

    /// Encoding, media type (2.2: three letters), kind, description, picture.
    private mutating func readPicture(_ view: ByteView) {
        guard var text = ID3v2TextReader(view) else { return self.contents.note(.badTag) }
        var mediaType: String
        if self.hasShortImageFormat {
            guard let letters = text.skip(3) else { return self.contents.note(.badTag) }
            mediaType = letters.latin1Text
        } else {
            mediaType = text.latin1()
        }
        if mediaType == "JPG" { mediaType = "image/jpeg" }
        if mediaType == "PNG" { mediaType = "image/png" }
        guard let kind = text.skip(1), !text.view.isEmpty else {
            return self.contents.note(.badTag)
        }
        let description = text.text()
        self.contents.append(
            AudioPicture(
                kind: Int(kind[0]),
                mediaType: mediaType,
                description: description,
                data: text.view.copy
            )
        )
    }

    /// An owner, or an address, ended by NUL, and data; `PCNT` has the data only.
    private mutating func readOwned(_ view: ByteView) {
        guard self.name != "PCNT" else {
            return self.contents.append(self.name, Self.counter(view).map { [$0] } ?? [])
        }
        let end = view.firstIndex(of: 0) ?? view.count
        let name = "\(self.name):\(view[0..<end].latin1Text)"
        let data = view.from(end + 1)
        switch self.name {
        case "UFID": self.contents.append(name, Self.printable(data).map { [$0] } ?? [])
        case "POPM" where !data.isEmpty:
            let counter = Self.counter(data.from(1))
            self.contents.append(name, [String(data[0])] + (counter.map { [$0] } ?? []))
        default: self.contents.append(name, [])
        }
    }

    private mutating func readObject(_ view: ByteView) {
        guard var text = ID3v2TextReader(view) else { return self.contents.note(.badTag) }
        let mediaType = text.latin1()
        let fileName = text.text()
        self.contents.append("GEOB:\(text.text())", [mediaType, fileName])
    }

    /// A number of one to eight bytes, in decimal.
    private static func counter(_ view: ByteView) -> String? {
        guard view.count >= 1, view.count <= 8 else { return nil }
        return String((0..<view.count).reduce(UInt64(0)) { $0 << 8 | UInt64(view[$1]) })
    }

    /// Text without control characters, or nothing.
    private static func printable(_ view: ByteView) -> String? {
        guard !view.isEmpty, let text = view.strictUTF8Text else { return nil }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? text : nil
    }
}

/// The first byte of a text frame, and the texts behind it (ID3v2.4 structure §4).
struct ID3v2TextReader {
    /// How text is coded; the numbers are those of the tag.
    enum Encoding: UInt8 {
        case latin1 = 0
        /// With a byte order mark in each text.
        case utf16 = 1
        case utf16BigEndian = 2
        case utf8 = 3
    }

    let encoding: Encoding
    /// What is left to read.
    private(set) var view: ByteView
    /// The order of the text before, for one that has no mark; a first without is little-endian.
    private var isBigEndian: Bool

    /// Reads the byte that says the encoding.
    ///
    /// Fails if it is none of the four, or nothing is there.
    ///
    /// - Parameter view: from that byte on.
    init?(_ view: ByteView) {
        guard view.count > 0, let encoding = Encoding(rawValue: view[0]) else { return nil }
        self.encoding = encoding
        self.view = view.from(1)
        self.isBigEndian = encoding == .utf16BigEndian
    }

    /// Goes on by a number of bytes that are no text.
    ///
    /// - Parameter count: how many, from 0.
    /// - Returns: those bytes; `nil` if there are fewer.
    mutating func skip(_ count: Int) -> ByteView? {
        guard self.view.count >= count else { return nil }
        defer { self.view = self.view.from(count) }
        return self.view[0..<count]
    }

    /// Reads a text in Latin-1, whatever the encoding, up to a NUL or the end.
    mutating func latin1() -> String {
        let end = self.view.firstIndex(of: 0) ?? self.view.count
        defer { self.view = self.view.from(end + 1) }
        return self.view[0..<end].latin1Text
    }

    /// Reads a text in the encoding, up to its terminator or the end.
    mutating func text() -> String {
        switch self.encoding {
        case .latin1: return self.latin1()
        case .utf8:
            let end = self.view.firstIndex(of: 0) ?? self.view.count
            defer { self.view = self.view.from(end + 1) }
            return self.view[0..<end].utf8Text
        case .utf16, .utf16BigEndian: return self.wideText()
        }
    }

    /// Reads all texts to the end.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - isPadded: whether nothing but zeros behind a text is padding, as before 2.4, and not empty texts.
    /// - Returns: the texts; empty if nothing is left.
    mutating func texts(limit: Int, isPadded: Bool) -> [String] {
        var texts: [String] = []
        let padding = isPadded ? self.zerosAtEnd : 0
        while self.view.count > 0, texts.count <= limit {
            texts.append(self.text())
            if self.view.count <= padding { break }
        }
        return texts
    }

    private var zerosAtEnd: Int {
        var count = 0
        while count < self.view.count, self.view[self.view.count - 1 - count] == 0 { count += 1 }
        return count
    }

    /// Reads UTF-16; lone surrogates become U+FFFD, an odd last byte is passed over unless it can only be a low one.
    private mutating func wideText() -> String {
        var units: [UInt16] = []
        var index = 0
        while index + 1 < self.view.count {
            let isEnd = self.view[index] == 0 && self.view[index + 1] == 0
            index += 2
            if isEnd { break }
            let unit =
                self.isBigEndian
                ? self.view.big(index - 2, UInt16.self) : self.view.little(index - 2, UInt16.self)
            if index == 2, self.encoding == .utf16, unit == 0xFEFF || unit == 0xFFFE {
                if unit == 0xFFFE { self.isBigEndian.toggle() }
                continue
            }
            units.append(unit)
        }
        if index + 1 == self.view.count {
            if !self.isBigEndian, self.view[index] != 0 { units.append(UInt16(self.view[index])) }
            index += 1
        }
        self.view = self.view.from(index)
        return String(decoding: units, as: UTF16.self)
    }
}
