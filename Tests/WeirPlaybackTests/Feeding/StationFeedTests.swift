// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("The packets and titles that a player takes from a station")
struct StationFeedTests {
    /// A station with twenty frames on each connection.
    ///
    /// The first two connections end after these frames; the third stays open.
    private final class ShortTransport: StationTransport {
        let display = "radio.example"
        let clock: VirtualTime.Clock
        private let connections = Mutex(0)

        init(_ clock: VirtualTime.Clock) { self.clock = clock }

        func connect(to target: StationTarget) async throws -> StationAnswer {
            let number = self.connections.withLock { count in
                count += 1
                return count
            }
            return StationAnswer(
                fields: [],
                mediaType: "audio/mpeg",
                display: self.display,
                body: Body(self.clock, stays: number == 3)
            )
        }

        private final class Body: StationBody {
            private let clock: VirtualTime.Clock
            private let stays: Bool
            private let sent = Mutex(0)

            init(_ clock: VirtualTime.Clock, stays: Bool) {
                self.clock = clock
                self.stays = stays
            }

            func next() async throws -> ByteMemory? {
                try await self.clock.sleep(for: RadioBroadcast.Sound.mp3.time)
                let count = self.sent.withLock { sent in
                    sent += 1
                    return sent
                }
                if count <= 2 { return RadioBroadcast.Sound.mp3.chunk }
                if self.stays { try await self.clock.sleep(for: .seconds(1_000_000)) }
                return nil
            }

            func cancel() {}
        }
    }

    @Test("are all packets of every connection, also the last of each")
    func lastPackets() async throws {
        let time = VirtualTime()
        try await time.run {
            let station = Station(
                name: "Radio",
                transport: ShortTransport(time.clock),
                options: StationOptions(clock: time.clock, executor: time, seed: 1)
            )
            let feed = StationFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "Radio", isLive: true),
                listener: station.listen()
            )
            // Closes the station after all frames have arrived, and then ends.
            let closing = Task(executorPreference: time) {
                try? await time.clock.sleep(for: .seconds(8))
                await station.close()
            }
            var packets = 0
            var joints = 0
            while let entries = try await feed.next() {
                for entry in entries {
                    switch entry {
                    case .packet: packets += 1
                    case .joint: joints += 1
                    default: break
                    }
                }
            }
            await closing.value
            #expect(joints == 2)
            // The station holds back the last frame of the third connection.
            #expect(packets == 59)
        }
    }

    /// A station that sends its chunks and then stays connected.
    private struct Sending: StationTransport {
        let display = "radio.example"
        let clock: VirtualTime.Clock
        let chunks: [[UInt8]]

        func connect(to target: StationTarget) async throws -> StationAnswer {
            StationAnswer(
                fields: [("icy-name", "Radio")],
                mediaType: "audio/mpeg",
                display: self.display,
                body: Body(self.clock, self.chunks)
            )
        }

        private final class Body: StationBody {
            private let clock: VirtualTime.Clock
            private let chunks: Mutex<[[UInt8]]>

            init(_ clock: VirtualTime.Clock, _ chunks: [[UInt8]]) {
                self.clock = clock
                self.chunks = Mutex(chunks.reversed())
            }

            func next() async throws -> ByteMemory? {
                try await self.clock.sleep(for: .milliseconds(100))
                if let chunk = self.chunks.withLock({ $0.popLast() }) { return ByteMemory(chunk) }
                try await self.clock.sleep(for: .seconds(1_000_000))
                return nil
            }

            func cancel() {}
        }
    }

    /// A part as an encoder writes it: a tag with the number of frames, and the frames.
    private static let part: [UInt8] = {
        let head: [UInt8] = [0xFF, 0xE3, 0x18, 0xC0]
        let count: UInt8 = 40
        let tag =
            head + [UInt8](repeating: 0, count: 9) + Array("Info".utf8) + [
                0, 0, 0, 1, 0, 0, 0, count,
            ]
        let frames = (0..<count).flatMap { _ in head + [UInt8](repeating: 0, count: 68) }
        return tag + [UInt8](repeating: 0, count: 72 - tag.count) + frames
    }()

    /// An ID3v2.3 tag with one text field.
    private static func tag(_ name: String, _ text: String) -> [UInt8] {
        let field = [0] + Array(text.utf8)
        let frame = Array(name.utf8) + [0, 0, 0, UInt8(field.count), 0, 0] + field
        return Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    @Test("a tag titles the part behind it, until that part ends")
    func titlesOfParts() async throws {
        let titled = Self.tag("TIT2", "First") + Self.part
        let marked = Self.tag("TENC", "mark") + Self.part
        #expect(try await self.titles([titled, Self.part]) == ["First", nil])
        #expect(try await self.titles([Self.part, titled, Self.part]) == ["First", nil])
        #expect(try await self.titles([titled, titled]) == ["First"])
        #expect(try await self.titles([titled, marked]) == ["First", nil])
    }

    /// The titles that a listener receives from a station that sends some parts.
    private func titles(_ parts: [[UInt8]]) async throws -> [String?] {
        let time = VirtualTime()
        return try await time.run {
            let station = Station(
                name: "Radio",
                transport: Sending(clock: time.clock, chunks: parts),
                options: StationOptions(clock: time.clock, executor: time, seed: 1)
            )
            let feed = StationFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "Radio", isLive: true),
                listener: station.listen()
            )
            let closing = Task(executorPreference: time) {
                try? await time.clock.sleep(for: .seconds(8))
                await station.close()
            }
            var found: [String?] = []
            while let entries = try await feed.next() {
                for case .title(let title) in entries { found.append(title.title) }
            }
            await closing.value
            return found
        }
    }
}
