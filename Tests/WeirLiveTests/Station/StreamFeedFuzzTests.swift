// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("Damaged streams, on their whole way to a listener and a recording")
struct StreamFeedFuzzTests {
    private static let limit = 1 << 16
    private static let batchSize = TestLength.short(60, long: 1000) as UInt64

    @Test("do no harm, and give no more bytes than arrived", arguments: 0..<8)
    func spoiltStreams(batch: UInt64) {
        for seed in batch * Self.batchSize..<(batch + 1) * Self.batchSize {
            let stream = MutatedStream(seed: seed)
            let ring = TimeShiftRing(limits: TimeShiftLimits(duration: .zero, byteCount: 1 << 30))
            var reader = ring.joint(forTime: .zero)
            var packetReader = reader
            var recording = RecordingMachine()
            var given = 0
            var recorded = 0
            var feed = Self.feed(of: stream, at: ring.end)
            for (index, chunk) in (stream.chunks + [[]]).enumerated() {
                let isLast = index == stream.chunks.count
                let outcome = isLast ? feed.finish() : feed.push(ByteMemory(chunk))
                for step in outcome.steps { Self.keep(step, in: ring) }
                #expect(feed.held.count <= Self.limit + chunk.count, "seed \(seed)")
                #expect(feed.time >= .zero && outcome.sound >= .zero, "seed \(seed)")
                while let piece = ring.read(at: &reader, limit: 32 << 10) {
                    if case .audio(let bytes) = piece { given += bytes.count }
                }
                while let sound = ring.readSound(at: &packetReader) {
                    if case .packets(let packets) = sound { _ = packets.packets }
                    recorded += Self.written(recording.take(sound))
                }
                guard outcome.verdict == nil else { break }
            }
            recorded += Self.written(recording.finish())
            #expect(given <= stream.byteCount, "seed \(seed)")
            #expect(Int64(given) == ring.end, "seed \(seed)")
            // Each file begins with a copy of its stream's header.
            #expect(recorded <= 20 * stream.byteCount + 1000, "seed \(seed)")
            Self.joinEverywhere(ring, seed: seed)
        }
    }

    private static func feed(of stream: MutatedStream, at position: Int64) -> StreamFeed {
        let fields = stream.interval.map { [("icy-metaint", "\($0)")] } ?? []
        return StreamFeed(
            StationInfo(
                headers: ICYHeaders(fields),
                mediaType: stream.mediaType,
                display: "radio.example"
            ),
            charset: nil,
            time: .zero,
            position: position,
            limit: Self.limit
        )
    }

    /// Performs a step of the feed as a connection does.
    private static func keep(_ step: FeedStep, in ring: TimeShiftRing) {
        switch step {
        case .stretch(let container):
            let info = StationInfo(headers: ICYHeaders([]), mediaType: nil, display: "")
            ring.begin(StreamStretch(cause: .joined, info: info, container: container))
        case .link(let container, let head, let offset):
            ring.beginLink(container: container, head: head, headOffset: offset)
        case .bytes(let bytes): ring.append(bytes)
        case .title(let metadata): ring.note(metadata, at: ring.end)
        case .packet(let packet): ring.note(packet.placed.packet, parts: packet.placed.parts)
        case .sign(let sign): ring.note(sign)
        }
    }

    private static func written(_ steps: [RecordingStep]) -> Int {
        steps.reduce(0) { sum, step in
            if case .write(let bytes) = step { sum + bytes.count } else { sum }
        }
    }

    /// A reader that joins at any time gets its position, and all bytes from there to the end.
    private static func joinEverywhere(_ ring: TimeShiftRing, seed: UInt64) {
        for part in 0...4 {
            let joint = ring.joint(forTime: ring.newestTime * (Double(part) / 4))
            #expect(joint.offset >= ring.oldest && joint.offset <= ring.end, "seed \(seed)")
            var cursor = joint
            var count: Int64 = 0
            var recording = RecordingMachine()
            while let piece = ring.read(at: &cursor, limit: 1000) {
                if case .audio(let bytes) = piece { count += Int64(bytes.count) }
            }
            var sounds = joint
            while let sound = ring.readSound(at: &sounds) {
                if case .packets(let packets) = sound { _ = packets.packets }
                _ = recording.take(sound)
            }
            _ = recording.finish()
            #expect(count == ring.end - joint.offset, "seed \(seed)")
        }
    }
}
