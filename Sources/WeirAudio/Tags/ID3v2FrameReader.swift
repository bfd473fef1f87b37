// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the content of a frame of an ID3v2 tag (id3v2.4.0-frames §4).
///
/// | frames | name of the field | values |
/// |---|---|---|
/// | `T???`, `GRP1`, `MVNM`, `MVIN` | the frame's | the texts |
/// | `TIPL`, `TMCL`, `IPLS` | the frame's | role, name, role, name… |
/// | `TXXX` | `TXXX:description` | the texts |
/// | `COMM` | `COMM:description:language` | the texts |
/// | `USLT` | `USLT:description:language` | the first text |
/// | `SYLT` | `SYLT:description:language` | the texts, without their times |
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
/// `APIC` becomes a picture. A text frame with only an encoding byte does not become a field.
struct ID3v2FrameReader {
    let name: String
    /// Whether zeros after a text are padding, as in versions before 2.4.
    let isPadded: Bool
    /// Whether a picture has a type of three letters, as in 2.2.
    let hasShortImageFormat: Bool
    /// The contents of the tag; the frame is added to them.
    var contents: TagContents

    /// Reads the frame.
    ///
    /// - Parameter view: the content of the frame, not empty.
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

    /// Encoding, language, the form of times, the kind of text, a description, and texts with a
    /// time of 4 bytes each.
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

    /// An owner or an address, ended by NUL, and data; `PCNT` has only the data.
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

    /// Text without control characters, or `nil`.
    private static func printable(_ view: ByteView) -> String? {
        guard !view.isEmpty, let text = view.strictUTF8Text else { return nil }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? text : nil
    }
}
