// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("A station that sends the missed sound after an outage")
struct CatchingUpTests {
    /// A station without a connection from second 60 to 100.
    ///
    /// It then delivers the sound of these seconds at once.
    private final class Line: StationTransport {
        static let frameTime = Duration.milliseconds(72)
        let display = "radio.example"
        let clock: VirtualTime.Clock
        /// How many bytes of sound are between titles.
        let interval: Int?
        /// The next frame to send.
        fileprivate let next = Mutex(0)

        init(_ clock: VirtualTime.Clock, interval: Int?) {
            self.clock = clock
            self.interval = interval
        }

        func connect(to target: StationTarget) async throws -> StationAnswer {
            while (Duration.seconds(60)..<Duration.seconds(100)).contains(self.clock.now.offset) {
                try await self.clock.sleep(for: .milliseconds(100))
            }
            return StationAnswer(
                fields: self.interval.map { [("icy-metaint", "\($0)")] } ?? [],
                mediaType: "audio/mpeg",
                display: self.display,
                body: Body(self)
            )
        }

        fileprivate static func frame(_ number: Int) -> [UInt8] {
            [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 32)
                + (0..<6).map { 0x40 | UInt8(number >> (6 * $0) & 0x3F) }
                + [UInt8](repeating: 7, count: 30)
        }

        private final class Body: StationBody {
            private let line: Line
            private let sent = Mutex(0)

            init(_ line: Line) { self.line = line }

            func next() async throws -> ByteMemory? {
                try await self.line.clock.sleep(for: Line.frameTime * 10)
                let now = self.line.clock.now.offset
                if now >= .seconds(60), now < .seconds(100) { return nil }
                let live = Int(now / Line.frameTime)
                let frames = self.line.next.withLock { next in
                    defer { next = live }
                    return next..<live
                }
                var bytes: [UInt8] = []
                for frame in frames {
                    for byte in Line.frame(frame) { self.add(byte, frame, to: &bytes) }
                }
                return ByteMemory(bytes)
            }

            /// A title follows each interval of bytes, and changes in the middle of each minute.
            private func add(_ byte: UInt8, _ frame: Int, to bytes: inout [UInt8]) {
                bytes.append(byte)
                guard let interval = self.line.interval else { return }
                let isDue = self.sent.withLock { sent in
                    sent += 1
                    return sent % interval == 0
                }
                guard isDue else { return }
                let seconds = Int(Line.frameTime * frame / .seconds(1))
                var block = Array("StreamTitle='Minute \((seconds + 30) / 60)';".utf8)
                while block.count % 16 != 0 { block.append(0) }
                bytes += [UInt8(block.count / 16)] + block
            }

            func cancel() {}
        }
    }

    private static func play(
        interval: Int?,
        _ body: @escaping @Sendable (VirtualTime, Player) async throws -> Void
    ) async throws {
        let time = VirtualTime()
        try await time.run {
            let station = Station(
                name: "Radio",
                transport: Line(time.clock, interval: interval),
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [SilentDecoders(divisor: 1)],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            player.play([PlayerItem(station)])
            try await body(time, player)
            player.stop()
            _ = await player.waitUntilStopped()
            await station.close()
        }
    }

    @Test("plays on to the next title, and then ten seconds later than the listener chose")
    func titles() async throws {
        try await Self.play(interval: 1000) { time, player in
            try await time.clock.sleep(for: .seconds(55))
            let before = try #require(player.snapshot.behindLive)
            #expect(before < .seconds(5))
            // The sound from second 60 on is heard from second 100 on; the title changes with the sound of second
            // 90.
            try await time.clock.sleep(for: .seconds(65))
            let late = try #require(player.snapshot.behindLive)
            #expect(late > .seconds(30), "\(late)")
            #expect(player.snapshot.title == "Minute 1")
            try await time.clock.sleep(for: .seconds(60))
            let after = try #require(player.snapshot.behindLive)
            #expect(after <= before + PlayerOptions().allowedLag + .seconds(1), "\(after)")
            #expect(player.snapshot.state == .playing)
        }
    }

    @Test("plays ten seconds behind at once if it sends no titles")
    func noTitles() async throws {
        try await Self.play(interval: nil) { time, player in
            try await time.clock.sleep(for: .seconds(55))
            let before = try #require(player.snapshot.behindLive)
            try await time.clock.sleep(for: .seconds(65))
            let after = try #require(player.snapshot.behindLive)
            #expect(after <= before + PlayerOptions().allowedLag + .seconds(1), "\(after)")
            #expect(player.snapshot.state == .playing)
        }
    }

    @Test("stays behind for a listener that paused")
    func pause() async throws {
        try await Self.play(interval: 1000) { time, player in
            try await time.clock.sleep(for: .seconds(10))
            player.pause()
            try await time.clock.sleep(for: .seconds(40))
            player.resume()
            try await time.clock.sleep(for: .seconds(130))
            let behind = try #require(player.snapshot.behindLive)
            #expect(behind > .seconds(38), "\(behind)")
        }
    }
}
