// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Seeks without a table: the sound belongs to the position")
struct MediaSeekTests {
    /// The first sound that a feed returns after a seek.
    private struct Landing {
        let item: QueuedItem
        /// The true time of the first heard sound; `nil` if no sound is heard.
        let heard: Double?
        /// The length as known at that time.
        var duration: Double?

        var isTrue: Bool {
            guard let heard = self.heard else { return true }
            return abs(heard - self.item.position / .seconds(1)) < 0.03
        }
    }

    /// Streams whose first bytes do not predict the others.
    private static let streams: [(name: String, bytes: [UInt8])] = {
        let silence = ADTSBytes.stream(seconds: 100) { $0 < 4 ? 20 : 360 }
        var generator = SeededGenerator(seed: 18)
        let wild = ADTSBytes.stream(seconds: 100) { _ in
            Int.random(in: 40...700, using: &generator)
        }
        let late = ADTSBytes.stream(seconds: 100) { $0 < 50 ? 120 : 600 }
        let half = ADTSBytes.stream(seconds: 50) { _ in 300 }
        let tag =
            Array("ID3".utf8) + [4, 0, 0, 0, 0x0F, 0, 0] + [UInt8](repeating: 0, count: 0x3C000)
        let junk = (0..<70_000).map { UInt8($0 * 31 % 250) }
        return [
            ("leading silence", silence), ("rates that vary", wild), ("two rates", late),
            ("a tag in the middle", half + tag + half), ("junk in the middle", half + junk + half),
            ("a long tag in front", tag + silence),
        ]
    }()

    private static func land(
        _ source: any ByteSource,
        at start: Double,
        _ times: [Int64: Double],
        _ memory: ItemMemory = ItemMemory(),
        packets: Int = 1
    ) async throws -> Landing? {
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: source,
            start: .seconds(start),
            memory: memory
        )
        var begun: QueuedItem?
        var landing: Landing?
        var duration: Double?
        var left = packets
        while let entries = try await feed.next() {
            for entry in entries {
                switch entry {
                case .format(let format):
                    duration = format.duration?.samples.seconds(sampleRate: format.sampleRate)
                    landing?.duration = duration
                case .item(let item): begun = item
                case .packet(let packet):
                    guard let begun else { break }
                    let trim = packet.trimStart.seconds(sampleRate: ADTSBytes.sampleRate)
                    let heard = times[packet.offset].map { $0 + trim }
                    if landing == nil {
                        landing = Landing(item: begun, heard: heard, duration: duration)
                    }
                    left -= 1
                    if left == 0 { return landing }
                default: break
                }
            }
        }
        return landing ?? begun.map { Landing(item: $0, heard: nil, duration: duration) }
    }

    @Test(
        "a held file is parsed from its start, and every position is exact",
        arguments: [0, 1, 2, 3, 4, 5]
    )
    func held(_ index: Int) async throws {
        let (name, bytes) = Self.streams[index]
        let times = try ADTSBytes.times(bytes)
        for start in [0.5, 9, 30, 60, 90, 99.5] {
            let landing = try #require(
                try await Self.land(KeptSource(bytes), at: start, times)
            )
            #expect(landing.item.precision == .exact, "\(name) at \(start)")
            #expect(landing.item.position == .seconds(start), "\(name) at \(start)")
            #expect(landing.isTrue && landing.heard != nil, "\(name) at \(start): \(landing)")
        }
    }

    @Test(
        "of a remote file little is read: the sound is near the target, at an approximate position",
        arguments: [0, 1, 2, 3, 4, 5]
    )
    func remote(_ index: Int) async throws {
        let (name, bytes) = Self.streams[index]
        let times = try ADTSBytes.times(bytes)
        for start in [0.5, 9, 30, 60, 90, 99.5] {
            let source = KeptSource(bytes, keeps: false)
            let landing = try #require(try await Self.land(source, at: start, times))
            #expect(
                landing.item.precision == .approximate || landing.isTrue,
                "\(name) at \(start): \(landing)"
            )
            let heard = try #require(landing.heard, "\(name) at \(start)")
            // The feed finds the junk only by reading it. The junk has as many bytes as 5.4 s of
            // sound.
            let most: Double = name.hasPrefix("junk") ? 6 : 4
            #expect(abs(heard - start) < most, "\(name) at \(start): \(heard)")
            let looks = source.ranges.filter { $0.upperBound < Int64(bytes.count) }
            #expect(looks.count <= 14, "\(name) at \(start): \(source.ranges)")
            #expect(looks.allSatisfy { $0.count <= 64 << 10 })
        }
    }

    @Test("positions that were played before are found exactly again, also in a remote file")
    func learned() async throws {
        let (_, bytes) = Self.streams[0]
        let times = try ADTSBytes.times(bytes)
        let memory = ItemMemory()
        // Reads 70 s of the stream.
        _ = try await Self.land(
            KeptSource(bytes, keeps: false),
            at: 0,
            times,
            memory,
            packets: 3000
        )
        for start in [65.0, 60, 20] {
            let source = KeptSource(bytes, keeps: false)
            let landing = try #require(try await Self.land(source, at: start, times, memory))
            #expect(landing.item.precision == .exact && landing.isTrue, "\(landing)")
            let least = try #require(source.ranges.last).lowerBound
            #expect(least > Int64(start - 6) * 15_000, "\(source.ranges)")
        }
        // The memory does not apply to another version of the file.
        let other = Array(bytes.dropLast(360))
        let source = KeptSource(other, keeps: false)
        let landing = try #require(
            try await Self.land(source, at: 60, try ADTSBytes.times(other), memory)
        )
        #expect(landing.item.precision == .approximate)
    }

    @Test(
        "playback after an exact seek makes later positions exact; after any other seek it does not"
    )
    func counting() async throws {
        let (_, bytes) = Self.streams[1]
        let times = try ADTSBytes.times(bytes)
        let memory = ItemMemory()
        let version = ReadDemand.Version(
            validator: try await KeptSource(bytes).describe().validator,
            length: Int64(bytes.count)
        )
        _ = try await Self.land(
            KeptSource(bytes, keeps: false),
            at: 0,
            times,
            memory,
            packets: 1000
        )
        let first = try #require(memory.frames(of: version)).countedEnd
        _ = try await Self.land(
            KeptSource(bytes, keeps: false),
            at: 10,
            times,
            memory,
            packets: 1500
        )
        let second = try #require(memory.frames(of: version)).countedEnd
        #expect(second > first + 300_000)
        _ = try await Self.land(
            KeptSource(bytes, keeps: false),
            at: 90,
            times,
            memory,
            packets: 100
        )
        #expect(try #require(memory.frames(of: version)).countedEnd < second + 300_000)
        let landing = try #require(
            try await Self.land(KeptSource(bytes, keeps: false), at: 40, times, memory)
        )
        #expect(landing.item.precision == .exact && landing.isTrue, "\(landing)")
    }

    @Test(
        "a file of unknown length is read to an exact position, and without ranges in one demand",
        arguments: [nil, false, true] as [Bool?]
    )
    func unknownLength(_ acceptsRanges: Bool?) async throws {
        for (name, bytes) in Self.streams {
            let times = try ADTSBytes.times(bytes)
            var resource = ScriptedResource(bytes: bytes)
            resource.isLengthKnown = false
            resource.acceptsRanges = acceptsRanges
            let source = ResidentSource(resource, held: RangeSet())
            let landing = try #require(try await Self.land(source, at: 60, times))
            #expect(landing.item.precision == .exact && landing.isTrue, "\(name): \(landing)")
            #expect(landing.heard != nil, "\(name)")
            if acceptsRanges != true {
                #expect(source.demands.count == 1, "\(name): \(source.demands)")
            }
        }
    }

    @Test("a start behind the end lands at the end, and nothing is heard")
    func behindTheEnd() async throws {
        for (name, bytes) in Self.streams {
            let times = try ADTSBytes.times(bytes)
            let landing = try #require(
                try await Self.land(KeptSource(bytes), at: 1000, times)
            )
            #expect(landing.heard == nil, "\(name)")
            let end = landing.item.position / .seconds(1)
            #expect(abs(end - 100) < 0.1, "\(name): \(end)")
            let remote = try #require(
                try await Self.land(KeptSource(bytes, keeps: false), at: 1000, times)
            )
            #expect(remote.heard == nil, "\(name)")
        }
    }

    @Test("the estimated length is better after a seek than after the first frames")
    func duration() async throws {
        let (_, bytes) = Self.streams[0]
        let times = try ADTSBytes.times(bytes)
        let memory = ItemMemory()
        _ = try await Self.land(
            KeptSource(bytes, keeps: false),
            at: 60,
            times,
            memory,
            packets: 400
        )
        let landing = try #require(
            try await Self.land(
                KeptSource(bytes, keeps: false),
                at: 0,
                times,
                memory,
                packets: 3
            )
        )
        let duration = try #require(landing.duration)
        #expect(abs(duration - 100) < 5, "\(duration)")
    }
}
