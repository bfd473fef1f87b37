// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioTags {
    /// Takes chapters from fields `CHAPTERnnn=hh:mm:ss.fff` and `CHAPTERnnnNAME=title` (the chapter extension of
    /// Vorbis comments, as OGM has it); those whose time cannot be read are passed over.
    mutating func readChapterFields() {
        var found: [(number: String, chapter: AudioChapter)] = []
        for field in self.fields {
            guard let number = Self.chapterNumber(field.name, suffix: ""),
                let text = field.values.first,
                let start = Self.milliseconds(text)
            else { continue }
            let chapter = AudioChapter(startMilliseconds: start, endMilliseconds: nil, title: "")
            found.append((number, chapter))
        }
        guard !found.isEmpty else { return }
        var titles: [String: String] = [:]
        for field in self.fields {
            guard let number = Self.chapterNumber(field.name, suffix: "NAME") else { continue }
            titles[number] = titles[number] ?? field.values.first
        }
        self.chapters += found.map { number, chapter in
            var chapter = chapter
            chapter.title = titles[number] ?? ""
            return chapter
        }
        self.orderChapters()
    }

    /// Puts chapters in the order of time; those of the same time stay in the order of the tag.
    mutating func orderChapters() {
        self.chapters = self.chapters.enumerated()
            .sorted {
                ($0.element.startMilliseconds, $0.offset) < (
                    $1.element.startMilliseconds, $1.offset
                )
            }
            .map(\.element)
    }

    /// The digits in `CHAPTERnnn` with something behind them.
    private static func chapterNumber(_ name: String, suffix: String) -> String? {
        let units = Array(name.utf8)
        let length = units.count - 7 - suffix.utf8.count
        guard length >= 1, length <= 9,
            Self.isName(String(decoding: units.prefix(7), as: UTF8.self), "CHAPTER"),
            Self.isName(String(decoding: units.suffix(suffix.utf8.count), as: UTF8.self), suffix)
        else { return nil }
        let digits = units[7..<7 + length]
        let isNumber = digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return isNumber ? String(decoding: digits, as: UTF8.self) : nil
    }

    /// A time written `hh:mm:ss.fff`, with any number of digits in the fraction, or none.
    private static func milliseconds(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = Self.number(parts[0]),
            let minutes = Self.number(parts[1])
        else { return nil }
        let last = parts[2].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard last.count <= 2, let whole = last.first, let seconds = Self.number(whole) else {
            return nil
        }
        var thousandths: Int64 = 0
        if last.count == 2 {
            guard let fraction = Self.number(last[1].prefix(3)) else { return nil }
            let scale: [Int64] = [1000, 100, 10, 1]
            thousandths = fraction * scale[min(3, last[1].count)]
        }
        return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths
    }

    /// A decimal number of one to nine digits.
    private static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard !text.isEmpty, text.count <= 9 else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
