// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirLive

/// Readers of packets get the packets that a parser would find in the bytes for readers of bytes.
@Suite("The packets of a station")
struct StationSoundTests {
    /// A reader's packets, formats and titles of one stretch.
    struct Heard: Equatable {
        /// The hashes of the packets' bytes.
        var payloads: [Int] = []
        var starts: [SampleCount] = []
        var formats: [AudioCodec] = []
        var titles: [String] = []
        /// The index of the packet that follows each title.
        var titlePlaces: [Int] = []
    }

    /// A ring with the bytes of several connections; its feeds received the bytes in portions.
    static func ring(
        _ connections: [[UInt8]],
        portion: Int,
        interval: Int? = nil,
        limits: TimeShiftLimits = TimeShiftLimits(duration: .seconds(10_000), byteCount: 1 << 30),
        geometry: RingGeometry = RingGeometry()
    ) -> TimeShiftRing {
        let ring = TimeShiftRing(limits: limits, geometry: geometry) { () throws(RingDiskError) in
            try UnlinkedFile(in: nil)
        }
        Self.add(connections, to: ring, portion: portion, interval: interval)
        return ring
    }

    private static func add(
        _ connections: [[UInt8]],
        to ring: TimeShiftRing,
        portion: Int,
        interval: Int? = nil
    ) {
        var time = ring.newestTime
        for connection in connections {
            let fields = interval.map { [("icy-metaint", "\($0)")] } ?? []
            let info = StationInfo(
                headers: ICYHeaders(fields),
                mediaType: nil,
                display: "radio.example"
            )
            var feed = StreamFeed(
                info,
                charset: nil,
                time: time,
                position: ring.end,
                limit: 1 << 20
            )
            for chunk in connection.split(by: portion) {
                Self.keep(feed.push(ByteMemory(chunk)), info, in: ring)
            }
            Self.keep(feed.finish(), info, in: ring)
            time = feed.time
        }
    }

    private static func keep(_ outcome: FeedOutcome, _ info: StationInfo, in ring: TimeShiftRing) {
        for step in outcome.steps {
            switch step {
            case .stretch(let container):
                ring.begin(
                    StreamStretch(cause: .reconnected(nil), info: info, container: container)
                )
            case .link(let container, let head, let offset):
                ring.beginLink(container: container, head: head, headOffset: offset)
            case .bytes(let bytes): ring.append(bytes)
            case .title(let metadata): ring.note(metadata, at: ring.end)
            case .sign(let sign): ring.note(sign)
            case .packet(let packet): ring.note(packet.placed.packet, parts: packet.placed.parts)
            }
        }
    }

    private static func oldest(_ ring: TimeShiftRing) -> RingCursor {
        ring.withState { $0.oldestJoint() }
    }

    /// The stretches that a reader of packets gets from a joint on.
    static func sound(_ ring: TimeShiftRing, from joint: RingCursor) -> [Heard] {
        var cursor = joint
        var heard: [Heard] = []
        while let sound = ring.readSound(at: &cursor) {
            switch sound {
            case .stretch(let stretch):
                var next = Heard()
                if let format = stretch.format { next.formats.append(format.codec) }
                if let title = stretch.metadata?.title {
                    next.titles.append(title)
                    next.titlePlaces.append(0)
                }
                heard.append(next)
            case .sign(.format(let format)): heard[heard.count - 1].formats.append(format.codec)
            case .sign: break
            case .metadata(let metadata):
                heard[heard.count - 1].titles.append(metadata.title ?? "")
                heard[heard.count - 1].titlePlaces.append(heard[heard.count - 1].payloads.count)
            case .packets(let sound):
                for packet in sound.packets {
                    heard[heard.count - 1].payloads.append(packet.payload.hashValue)
                    heard[heard.count - 1].starts.append(packet.start)
                }
            }
        }
        return heard
    }

    /// The packets that a parser finds in a byte reader's bytes from a joint on.
    static func parsed(_ ring: TimeShiftRing, from joint: RingCursor) throws -> [[Int]] {
        var cursor = joint
        var parser = AudioStreamParser()
        var payloads: [[Int]] = []
        func take(isEnd: Bool = false) throws {
            while let event = try parser.next() {
                if case .packet(let packet) = event {
                    payloads[payloads.count - 1].append(packet.payload.hashValue)
                }
            }
        }
        while let piece = ring.read(at: &cursor, limit: 1000) {
            switch piece {
            case .stretch(let stretch):
                parser.finish()
                if !payloads.isEmpty { try take() }
                payloads.append([])
                let start = stretch.head.isEmpty ? stretch.offset : stretch.headOffset
                parser = AudioStreamParser(
                    container: try #require(stretch.container),
                    startingAt: start
                )
                guard !stretch.head.isEmpty else { break }
                parser.push(stretch.head)
                try take()
                parser.jump(to: stretch.offset)
            case .audio(let bytes):
                parser.push(bytes)
                try take()
            case .metadata: break
            }
        }
        parser.finish()
        try take()
        return payloads
    }

    @Test(
        "equal the packets in the bytes, from the beginning and from every place to join",
        arguments: [1, 700, 1436, 50_000],
        [1 << 30, 8192]
    )
    func packets(portion: Int, memory: Int) throws {
        let streams = [
            [NumberedFrames.frames(0..<120), NumberedFrames.frames(200..<240)],
            [TinyADTS.frames(0..<300)],
            [Self.opus()],
        ]
        var geometry = RingGeometry()
        geometry.memory = memory
        geometry.block = 4096
        for connections in streams {
            let ring = Self.ring(connections, portion: portion, geometry: geometry)
            let whole = Self.sound(ring, from: Self.oldest(ring))
            let expected = try Self.parsed(ring, from: Self.oldest(ring))
            #expect(whole.map(\.payloads) == expected)
            // Times increase over all connections.
            let starts = whole.flatMap(\.starts)
            #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(starts.first == 0)
            #expect(whole.allSatisfy { $0.formats.count >= 1 })
            for step in stride(from: 0, through: 8000, by: 390) {
                let joint = ring.joint(forTime: .milliseconds(step))
                let joined = Self.sound(ring, from: joint)
                #expect(joined.allSatisfy { $0.formats.count >= 1 }, "\(step)")
                // A parser that joins may need to see a frame or two before it accepts frames.
                for (ours, theirs) in zip(joined, try Self.parsed(ring, from: joint)) {
                    #expect(Array(ours.payloads.suffix(theirs.count)) == theirs, "\(step)")
                    #expect(ours.payloads.count - theirs.count <= 1, "\(step)")
                }
            }
        }
    }

    /// Two chained streams; their packets lie within a page, end with it, or continue on later
    /// pages.
    private static func opus() -> [UInt8] {
        var bytes: [UInt8] = []
        for (serial, segments) in [(UInt32(7), 3), (8, 20)] {
            var ogg = TinyOgg(serial: serial)
            bytes += ogg.headers(title: "\(serial)")
            let sizes = [10, 30, 255, 256, 400, 1200, 510, 12, 5000, 5, 765, 20]
            bytes += ogg.crossing(sizes: sizes + sizes + sizes, segments: segments)
        }
        return bytes
    }

    @Test(
        "follow the title that belongs to them, whatever the sizes of the portions",
        arguments: [1, 100, 5000]
    )
    func titles(portion: Int) {
        // A frame has 144 bytes: the third title is in the middle of the 21st frame.
        var bytes: [UInt8] = []
        let sound = NumberedFrames.frames(0..<40)
        for (index, start) in stride(from: 0, to: sound.count, by: 1000).enumerated() {
            bytes += sound[start..<min(start + 1000, sound.count)]
            guard start + 1000 <= sound.count else { break }
            let text = Array("StreamTitle='\(index)';".utf8)
            bytes += [UInt8((text.count + 15) / 16)]
            bytes += text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
        }
        let ring = Self.ring([bytes], portion: portion, interval: 1000)
        let heard = Self.sound(ring, from: Self.oldest(ring))
        #expect(heard.count == 1)
        #expect(heard[0].titles == ["0", "1", "2", "3", "4"])
        #expect(heard[0].titlePlaces == [6, 13, 20, 27, 34])
    }

    @Test("that the ring has dropped are skipped, up to the oldest place to join")
    func fallingBehind() throws {
        var geometry = RingGeometry()
        (geometry.memory, geometry.block, geometry.extent) = (8192, 4096, 8192)
        geometry.packets = 50
        let ring = Self.ring([NumberedFrames.frames(0..<20)], portion: 500, geometry: geometry)
        var cursor = Self.oldest(ring)
        guard case .stretch? = ring.readSound(at: &cursor),
            case .sign? = ring.readSound(at: &cursor)
        else {
            Issue.record("a reader begins with a stretch and a format")
            return
        }
        Self.add([NumberedFrames.frames(20..<400)], to: ring, portion: 500)
        let next = try #require(ring.readSound(at: &cursor))
        guard case .stretch(let stretch) = next else {
            Issue.record("\(next)")
            return
        }
        #expect(stretch.cause == .fellBehind)
        #expect(stretch.gap > .seconds(9))
        #expect(stretch.format != nil)
        guard case .packets(let sound)? = ring.readSound(at: &cursor) else {
            Issue.record("packets follow")
            return
        }
        let first = try #require(NumberedFrames.number(sound.packets[0].payload.array, at: 0))
        #expect(first >= 350)
    }
}
