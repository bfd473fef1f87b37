// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

/// Trials that a parser of bare frames has to pass, whatever the format.
struct FrameStreamTrials<Parser: FormatParser> {
    let bytes: [UInt8]
    let make: () -> Parser

    /// The stream gives the same events however it is cut into chunks.
    func chunking() {
        let whole = ParserDriver.parse(self.bytes, with: self.make())
        #expect(!whole.packets.isEmpty)
        #expect(
            firstDifference(ParserDriver.parse(self.bytes, sizes: { 1 }, with: self.make()), whole)
                == nil,
            "byte by byte"
        )
        for split in 1..<self.bytes.count {
            var sizes = [split, Int.max].makeIterator()
            let outcome = ParserDriver.parse(
                self.bytes,
                sizes: { sizes.next() ?? .max },
                with: self.make()
            )
            #expect(firstDifference(outcome, whole) == nil, "split at \(split)")
        }
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let limit = Int.random(in: 2...2000, using: &generator)
            let outcome = ParserDriver.parse(
                self.bytes,
                sizes: { Int.random(in: 1...limit, using: &generator) },
                with: self.make()
            )
            #expect(firstDifference(outcome, whole) == nil, "seed \(seed)")
        }
    }

    /// A truncated stream gives its whole packets.
    ///
    /// With fewer than two whole packets, it may give an error and no packet.
    func truncation() {
        let whole = ParserDriver.parse(self.bytes, with: self.make()).packets
        for count in 0..<self.bytes.count {
            let outcome = ParserDriver.parse(Array(self.bytes[..<count]), with: self.make())
            let expected = whole.prefix { $0.offset + Int64($0.payload.count) <= Int64(count) }
            if let error = outcome.error, expected.count <= 1 {
                #expect(error.code == .ended && outcome.packets.isEmpty, "\(count) bytes")
            } else {
                #expect(outcome.error == nil, "\(count) bytes")
                let difference = firstDifference(
                    outcome.packets.map(\.payload),
                    expected.map(\.payload)
                )
                #expect(difference == nil, "\(count) bytes")
            }
        }
    }

    /// With any one byte changed, the parser loses at most three packets.
    func corruption() {
        let whole = ParserDriver.parse(self.bytes, with: self.make()).packets
        for index in self.bytes.indices {
            for mask in [0xFF, 0x01, 0x80] as [UInt8] {
                var damaged = self.bytes
                damaged[index] ^= mask
                let outcome = ParserDriver.parse(damaged, with: self.make())
                let isLittleLost = outcome.packets.count + 3 >= whole.count
                #expect(isLittleLost, "byte \(index): \(String(describing: outcome.error))")
            }
        }
    }

    /// A parser that joins at any byte gives the packets of the whole stream from that byte on.
    func joins(_ count: Int) {
        let whole = ParserDriver.parse(self.bytes, with: self.make()).packets
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<count {
            let start = Int.random(in: 0..<self.bytes.count, using: &generator)
            let joined = ParserDriver.parse(self.bytes, from: start, with: self.make()).packets
            let expected = whole.drop { $0.offset < Int64(start) }
            #expect(
                firstDifference(joined.map(\.offset), expected.map(\.offset)) == nil,
                "joined at \(start)"
            )
            #expect(
                firstDifference(joined.map(\.payload), expected.map(\.payload)) == nil,
                "joined at \(start)"
            )
        }
    }

    /// Random bytes between frames give no false packets.
    func garbage(_ runs: Int) {
        let frames = ParserDriver.parse(self.bytes, with: self.make()).packets.map(\.payload.array)
        var falsePackets = 0
        for seed in 0..<UInt64(runs) {
            var generator = SeededGenerator(seed: seed)
            var bytes: [UInt8] = []
            var places: [Int64: [UInt8]] = [:]
            for frame in frames {
                if Int.random(in: 0..<8, using: &generator) == 0 {
                    for _ in 0..<Int.random(in: 1..<1500, using: &generator) {
                        bytes.append(UInt8.random(in: .min ... .max, using: &generator))
                    }
                }
                places[Int64(bytes.count)] = frame
                bytes += frame
            }
            let packets = ParserDriver.parse(bytes, with: self.make()).packets
            falsePackets += packets.count { places[$0.offset] != $0.payload.array }
        }
        #expect(falsePackets == 0)
    }
}
