// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The fragments of an MP4 file")
struct MP4FragmentTests {
    private let movie = MP4Bytes.box("ftyp", Array("iso5".utf8)) + MP4File().movie(dataAt: nil)

    private func parse(_ bytes: [UInt8], from start: Int = 0) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            from: start,
            with: MP4Parser(limits: AudioStreamLimits(), length: nil)
        )
    }

    private func fragment(_ tracks: [UInt8]...) -> [UInt8] {
        MP4Bytes.box("moof", MP4Bytes.full("mfhd", MP4Bytes.u32(1)), tracks.flatMap { $0 })
    }

    private func header(_ track: Int, flags: Int, _ values: Int...) -> [UInt8] {
        MP4Bytes.full(
            "tfhd",
            flags: flags,
            MP4Bytes.u32(track),
            values.flatMap { MP4Bytes.u32($0) }
        )
    }

    private func run(_ flags: Int, count: Int, _ values: Int...) -> [UInt8] {
        MP4Bytes.full(
            "trun",
            flags: flags,
            MP4Bytes.u32(count),
            values.flatMap { MP4Bytes.u32($0) }
        )
    }

    @Test("Without a base offset, a track's data follows the data of the track before it")
    func oldBase() {
        func fragment(_ size: Int) -> [UInt8] {
            let other = MP4Bytes.box(
                "traf",
                self.header(7, flags: 0x10, 4),
                self.run(0x1, count: 5, size),
                self.run(0x200, count: 2, 3, 6)
            )
            let own = MP4Bytes.box(
                "traf",
                self.header(1, flags: 0x18, 1_000, 2),
                MP4Bytes.full("tfdt", MP4Bytes.u32(5_000)),
                self.run(0x4, count: 3, 0x1_0000),
                self.run(0x300, count: 2, 10, 4, 20, 5)
            )
            return self.fragment(other, own)
        }
        let boxes = fragment(fragment(0).count + 8)
        let data = (0..<50).map { UInt8($0) }
        let bytes = self.movie + boxes + MP4Bytes.box("mdat", data)
        let outcome = self.parse(bytes)
        #expect(outcome.troubles.isEmpty)
        let first = Int64(bytes.count - 50 + 5 * 4 + 9)
        #expect(outcome.packets.map(\.offset) == [0, 2, 4, 6, 10].map { first + $0 })
        #expect(outcome.packets.map(\.payload.count) == [2, 2, 2, 4, 5])
        #expect(outcome.packets.map(\.start.rawValue) == [5_000, 6_000, 7_000, 8_000, 8_010])
        #expect(outcome.packets.map(\.isIndependent) == [false, true, true, true, true])
    }

    @Test(
        "A base offset counts from the file's start, and a fragment without a time follows the one before"
    )
    func absoluteBase() {
        let length = self.fragment(
            MP4Bytes.box("traf", self.header(1, flags: 0x11, 0, 0, 3), self.run(0x1, count: 2, 0))
        ).count
        var bytes = self.movie
        for _ in 0..<3 {
            let start = bytes.count
            let own = MP4Bytes.box(
                "traf",
                self.header(1, flags: 0x11, 0, start, 3),
                self.run(0x1, count: 2, length + 8)
            )
            bytes += self.fragment(own) + MP4Bytes.box("mdat", [1, 2, 3, 4, 5, 6])
        }
        let packets = self.parse(bytes).packets
        #expect(packets.map(\.start.rawValue) == [0, 1_024, 2_048, 3_072, 4_096, 5_120])
        #expect(
            packets.map(\.payload.array)
                == Array(repeating: [[1, 2, 3], [4, 5, 6]], count: 3).flatMap { $0 }
        )
    }

    @Test("An index with samples may be followed by fragments")
    func hybrid() {
        var file = MP4File(layout: .indexFirst)
        let fragments = MP4File(layout: .fragments)
        let plain = file.movie(dataAt: 0).count
        let extends = MP4Bytes.box(
            "mvex",
            MP4Bytes.full("trex", [1, 1, 1_024, 0, 0].flatMap { MP4Bytes.u32($0) })
        )
        file.gap = 20
        func movie(_ start: Int) -> [UInt8] {
            let inner = Array(file.movie(dataAt: start).dropFirst(8))
            return MP4Bytes.box("moov", inner, extends)
        }
        let start = plain + extends.count + 8
        let data = Array(file.bytes.suffix(file.payloads.joined().count + 3 * 20))
        let tail = Array(fragments.bytes.dropFirst(20 + fragments.movie(dataAt: nil).count))
        let bytes = movie(start) + MP4Bytes.box("mdat", data) + tail
        let outcome = self.parse(bytes)
        #expect(outcome.packets.count == 16)
        let payloads = outcome.packets.map(\.payload.array)
        #expect(payloads == file.payloads + file.payloads)
        let wanted = outcome.events.contains { if case .wanted = $0 { true } else { false } }
        #expect(!wanted)
    }

    @Test("Only the damaged fragment is skipped")
    func damage() {
        let file = MP4File(layout: .fragments)
        var bytes = file.bytes
        let runs = (0..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == Array("trun".utf8) }
        // The run declares more samples than there are bytes.
        bytes.replaceSubrange(runs[1] + 8..<runs[1] + 12, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let outcome = self.parse(bytes)
        #expect(
            outcome.packets.map(\.payload.array)
                == Array(file.payloads[0..<3] + file.payloads[6..<8])
        )
        #expect(outcome.packets.map(\.start.rawValue) == [0, 1_024, 2_048, 6_144, 7_168])
        #expect(outcome.troubles.map(\.kind) == [.contradiction])
        #expect(outcome.error == nil)
    }

    /// Parses a file of fragments that a closure damages, with a known length or without one.
    private func damaged(
        _ isLengthKnown: Bool,
        _ damage: (inout [UInt8], [Int]) -> Void
    ) -> ParserDriver.Outcome {
        var bytes = MP4File(layout: .fragments).bytes
        let starts = (4..<bytes.count - 4).filter {
            Array(bytes[$0..<$0 + 4]) == Array("moof".utf8)
        }.map { $0 - 4 }
        damage(&bytes, starts)
        let length = isLengthKnown ? Int64(bytes.count) : nil
        return ParserDriver.parse(
            bytes,
            with: MP4Parser(limits: AudioStreamLimits(), length: length)
        )
    }

    @Test("Bytes between fragments that form no box are skipped", arguments: [true, false])
    func garbage(_ isLengthKnown: Bool) {
        let payloads = MP4File(layout: .fragments).payloads
        let outcome = self.damaged(isLengthKnown) { bytes, starts in
            let front: [UInt8] = [0x70, 1, 2, 3, 0xF0, 0xF1, 0xF2, 0xF3]
            bytes.insert(contentsOf: front + [UInt8](repeating: 7, count: 90), at: starts[1])
        }
        #expect(outcome.packets.map(\.payload.array) == payloads)
        #expect(outcome.troubles.map(\.kind) == [.garbage])
        #expect(outcome.error == nil)
    }

    @Test("Zeros in the place of a fragment do not end the file", arguments: [true, false])
    func zeros(_ isLengthKnown: Bool) {
        let payloads = MP4File(layout: .fragments).payloads
        let outcome = self.damaged(isLengthKnown) { bytes, starts in
            for index in starts[1]..<starts[2] { bytes[index] = 0 }
        }
        #expect(outcome.packets.map(\.payload.array) == Array(payloads[0..<3] + payloads[6..<8]))
        #expect(outcome.packets.map(\.start.rawValue) == [0, 1_024, 2_048, 6_144, 7_168])
        #expect(outcome.troubles.map(\.kind) == [.garbage])
        #expect(outcome.error == nil)
    }

    @Test(
        "A box that is larger than the file loses no fragment, or the file is reported as cut short"
    )
    func largeBox() {
        let payloads = MP4File(layout: .fragments).payloads
        for name in ["mdat", "free"] {
            for isLengthKnown in [true, false] {
                let outcome = self.damaged(isLengthKnown) { bytes, starts in
                    let data = (starts[0]..<starts[1]).first {
                        Array(bytes[$0..<$0 + 4]) == Array("mdat".utf8)
                    }
                    guard let data else { return }
                    bytes.replaceSubrange(data - 4..<data + 4, with: [0, 0x40, 0, 0] + name.utf8)
                }
                let heard = outcome.packets.map(\.payload.array)
                if isLengthKnown {
                    #expect(heard == payloads, "\(name)")
                } else {
                    #expect(heard == Array(payloads[0..<3]), "\(name)")
                    #expect(outcome.troubles.map(\.kind) == [.truncated])
                }
                #expect(outcome.error == nil)
            }
        }
    }

    @Test("After a seek within a stream the parser gives the packets of the next fragment")
    func seek() {
        let bytes = MP4File(layout: .fragments).bytes
        let starts = (4..<bytes.count - 4).filter {
            Array(bytes[$0..<$0 + 4]) == Array("moof".utf8)
        }.map { $0 - 4 }
        var parser = MP4Parser(limits: AudioStreamLimits(), length: nil)
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        while let event = try? parser.next(&window) {
            if case .packet = event { break }
        }
        for (target, start) in [(starts[2], 6_144), (starts[1] - 3, 3_072), (starts[0], 0)] {
            window.jump(to: Int64(target))
            parser.discontinued(start: nil)
            window.push(ByteMemory(copying: bytes[target...]))
            var first: AudioPacket?
            while first == nil, let event = try? parser.next(&window) {
                if case .packet(let packet) = event { first = packet }
            }
            #expect(first?.start == SampleCount(Int64(start)))
        }
    }
}
