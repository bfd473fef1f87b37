// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("What a player takes from a station")
struct StationFeedTests {
    /// A station that sends twenty frames on each connection: the first two end with them, the third stays.
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

    @Test("is every packet of every connection, the last of each, too")
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
            // Closes the station when all has come; ends with that.
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
            // Of the third, the station keeps the last frame back.
            #expect(packets == 59)
        }
    }
}
