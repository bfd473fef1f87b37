// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Metadata of a radio station")
struct ICYMetadataTests {
    private func metadata(_ text: String, charset: ICYCharset? = nil) -> ICYMetadata {
        self.metadata(Array(text.utf8), charset: charset)
    }

    private func metadata(_ bytes: [UInt8], charset: ICYCharset? = nil) -> ICYMetadata {
        ICYMetadata(ByteMemory(bytes), audioOffset: 0, charset: charset)
    }

    @Test(
        "A title ends where another key starts, or at its last quote",
        arguments: [
            ("StreamTitle='test title';", "test title"),
            ("StreamTitle='test title'", "test title"),
            ("StreamTitle='test title", "test title"),
            ("StreamTitle='test; title';StreamURL='test_url';", "test; title"),
            ("StreamTitle='test' title';StreamURL='test_url';", "test' title"),
            ("StreamTitle='fo'o'b'ar';", "fo'o'b'ar"),
            ("StreamTitle='foo';bar';", "foo';bar"),
            ("StreamTitle='a';b='c';", "a"),
            ("StreamTitle='It's 1; a='b;';StreamUrl='';", "It's 1; a='b;"),
            ("StreamTitle='test\r\ntitle';StreamURL='test_url';", "test\r\ntitle"),
            ("StreamTitle='';", ""),
            ("StreamTitle='';StreamUrl='';", ""),
            ("streamtitle='x';", "x"),
            (" StreamTitle = 'no'; StreamUrl='u';", " 'no'"),
            ("StreamTitle=bare;StreamUrl='u';", "bare"),
            ("StreamTitle='a' ; StreamUrl='u';", "a"),
            ("junk;StreamTitle='x';", "x"),
            ("StreamUrl='u';StreamTitle='later';", "later"),
            ("StreamTitle='test title';StreamURL='u';CustomTag|withWeirdSeparator", "test title"),
            ("StreamTitle='='';", "='"),
        ]
    )
    func titles(_ text: String, _ title: String) {
        #expect(self.metadata(text).title == title)
    }

    @Test("Addresses and keys of any other name are read")
    func others() {
        let metadata = self.metadata(
            "StreamTitle='t';StreamUrl='http://x/?a=1;b=2';adw_ad='true';durationMilliseconds='30000';"
        )
        #expect(metadata.url == "http://x/?a=1;b=2")
        #expect(metadata["ADW_AD"] == "true")
        #expect(
            metadata.fields.map(\.name) == [
                "StreamTitle", "StreamUrl", "adw_ad", "durationMilliseconds",
            ]
        )
        let weird = self.metadata(
            "StreamTitle='t';StreamURL='test_url';CustomTag|withWeirdSeparator"
        )
        #expect(weird.url == "test_url")
    }

    @Test("Text of another form has no title")
    func none() {
        #expect(self.metadata("NotIcyData").title == nil)
        #expect(self.metadata("").title == nil)
        #expect(self.metadata("StreamUrl='x';").title == nil)
        #expect(self.metadata("=;='';;").title == nil)
    }

    @Test("Text other than UTF-8 is read in the station's charset, or as Windows-1252")
    func charsets() {
        func title(_ bytes: [UInt8], _ charset: ICYCharset?) -> String? {
            let block = Array("StreamTitle='".utf8) + bytes + Array("';".utf8)
            return self.metadata(block, charset: charset).title
        }
        #expect(title([0x4B, 0xF6, 0x6C, 0x6E], nil) == "Köln")
        #expect(title([0x93, 0x80, 0x94], nil) == "“€”")
        #expect(title([0x93], .latin1) == "\u{93}")
        #expect(title([0xCF, 0xF0, 0xE8], .windows1251) == "При")
        #expect(title([0xF0, 0xD2, 0xC9], .koi8r) == "При")
        #expect(title([0xA3, 0xF3, 0x64, 0xBC], .iso8859Part2) == "Łódź")
        #expect(title(Array("Köln".utf8), .windows1251) == "Köln")
        #expect(title([0xC3], .utf8) == "\u{FFFD}")
        let all = [UInt8](1...255).filter { $0 != 0x27 }
        for charset in ICYCharset.allCases where charset != .utf8 {
            #expect(title(all, charset)?.unicodeScalars.count == 254)
        }
    }

    @Test("The raw bytes are kept, without the zeros at the end")
    func raw() {
        let block = Array("StreamTitle='K".utf8) + [0xF6] + Array("ln';".utf8) + [0, 0, 0, 0x41]
        let metadata = self.metadata(block)
        #expect(metadata.raw.array == Array(block.dropLast(4)))
        #expect(metadata.fields.first?.rawValue.array == [0x4B, 0xF6, 0x6C, 0x6E])
    }

    @Test("Random text never traps or loops, and ranges lie in the block")
    func hostile() {
        var random = SeededGenerator(seed: 3)
        let alphabet: [UInt8] = Array("ab'';;== S".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let metadata = self.metadata(bytes)
            #expect(metadata.fields.reduce(0) { $0 + $1.rawValue.count } <= bytes.count)
        }
        let long = self.metadata([UInt8](repeating: 0x27, count: 4080))
        #expect(long.fields.isEmpty)
        let pairs = self.metadata("a='" + String(repeating: "';a", count: 1300))
        #expect(pairs.fields.count == 1)
    }
}
