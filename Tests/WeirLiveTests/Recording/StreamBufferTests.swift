// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("Bytes that belong to no packet yet")
struct StreamBufferTests {
    @Test(
        "are the received bytes that were not dropped, whatever range is requested",
        arguments: UInt64(1)...20
    )
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = StreamBuffer()
        var all: [UInt8] = []
        var start = 0
        for _ in 0..<200 {
            if Bool.random(using: &generator) {
                let count = Int.random(in: 0...40, using: &generator)
                let more = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                bytes.append(ByteMemory(more))
                all += more
            } else {
                let offset = Int.random(in: 0...all.count + 5, using: &generator)
                bytes.drop(before: Int64(offset))
                start = max(start, min(offset, all.count))
            }
            let lower = Int.random(in: 0...all.count + 5, using: &generator)
            let upper = Int.random(in: lower...all.count + 9, using: &generator)
            let first = min(max(lower, start), all.count)
            let expected = all[first..<min(max(upper, first), all.count)]
            #expect(
                bytes[Int64(lower)..<Int64(upper)].array.elementsEqual(expected),
                "seed \(seed)"
            )
            #expect(bytes.start == start && bytes.end == all.count, "seed \(seed)")
            #expect(bytes.count == all.count - start)
        }
    }
}
