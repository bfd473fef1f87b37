// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("Keys of a terminal")
struct KeyParserTests {
    /// The keys that the parser returns for these bytes.
    private func keys(_ bytes: [UInt8]) -> [TerminalKey] {
        var parser = KeyParser()
        return bytes.compactMap { parser.push($0) }
    }

    private func keys(_ text: String) -> [TerminalKey] { self.keys(Array(text.utf8)) }

    @Test("letters, digits and signs mean themselves")
    func characters() {
        #expect(self.keys("q?9 ") == ["q", "?", "9", " "].map { .character($0) })
    }

    @Test("arrows are understood in both of their modes, and with modifiers")
    func arrows() {
        #expect(self.keys("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D") == [.up, .down, .right, .left])
        #expect(self.keys("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD") == [.up, .down, .right, .left])
        #expect(self.keys("\u{1B}[1;5C") == [.right])
    }

    @Test("Page Up, Page Down, Home and End are understood in all of their forms")
    func pages() {
        #expect(self.keys("\u{1B}[5~\u{1B}[6~") == [.pageUp, .pageDown])
        #expect(self.keys("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[7~") == [.home, .home, .home, .home])
        #expect(self.keys("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8~") == [.end, .end, .end, .end])
    }

    @Test("input after a lone escape is read separately")
    func escape() {
        #expect(self.keys("\u{1B}q") == [.character("q")])
        #expect(self.keys("\u{1B}\u{1B}[A") == [.up])
        #expect(self.keys("\u{1B}") == [])
    }

    @Test("other keys and letters of several bytes are one unknown key")
    func others() {
        #expect(
            self.keys("\u{1B}[2~\u{1B}[15~\u{1B}[5;5~\u{1B}[~") == [.other, .other, .other, .other]
        )
        #expect(self.keys("é") == [.other])
        #expect(self.keys("日🎵") == [.other, .other])
    }

    @Test("an incomplete letter does not swallow the next key")
    func brokenText() {
        #expect(self.keys([0xE6, 0x97, UInt8(ascii: "q")]) == [.character("q")])
        #expect(self.keys([0xFF, 0x80, UInt8(ascii: "q")]) == [.other, .other, .character("q")])
    }

    @Test("an endless sequence is dropped, and any bytes leave the parser usable")
    func endless() {
        let bytes = Array("\u{1B}[".utf8) + [UInt8](repeating: UInt8(ascii: "1"), count: 1000)
        #expect(self.keys(bytes + Array("q".utf8)).last == .character("q"))
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                // The longest pending input is a four-byte character or an escape sequence.
                let keys = self.keys([0x1B, first, second] + Array("\u{18}\u{18}q".utf8))
                #expect(keys.last == .character("q"), "after \(first) \(second)")
            }
        }
    }

    @Test("the bytes can be split anywhere")
    func splits() {
        let bytes = Array("q\u{1B}[1;2Aé\u{1B}OD ".utf8)
        let whole = self.keys(bytes)
        #expect(whole == [.character("q"), .up, .other, .left, .character(" ")])
        for cut in 0...bytes.count {
            var parser = KeyParser()
            var keys = bytes[..<cut].compactMap { parser.push($0) }
            keys += bytes[cut...].compactMap { parser.push($0) }
            #expect(keys == whole, "cut at \(cut)")
        }
    }
}
