// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("The pages with which an Ogg stream begins")
struct OggHeadTests {
    @Test("are found anywhere, as far as they are whole, at every truncation")
    func truncation() {
        var maker = TinyOgg(serial: 3)
        let headers = maker.headers(title: "A title")
        let first = 27 + 1 + 19
        let before: [UInt8] = Array("OggS\u{0}\u{0}xx".utf8)
        let all = before + headers + Array(maker.sound().prefix(30))
        for count in 0...all.count {
            let range = ByteMemory(Array(all[0..<count])).oggStreamHead()
            let end =
                count >= before.count + headers.count
                ? before.count + headers.count
                : count >= before.count + first ? before.count + first : nil
            #expect(range == end.map { before.count..<$0 }, "\(count)")
        }
    }

    @Test("are not found in noise", arguments: UInt64(1)...20)
    func noise(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for _ in 0..<20 {
            let index = Int.random(in: 0..<1990, using: &generator)
            bytes.replaceSubrange(index..<index + 6, with: Array("OggS".utf8) + [0, 2])
        }
        if let range = ByteMemory(bytes).oggStreamHead() {
            #expect(range.lowerBound >= 0 && range.upperBound <= bytes.count)
            #expect(bytes[range.lowerBound] == UInt8(ascii: "O"))
        }
    }
}
