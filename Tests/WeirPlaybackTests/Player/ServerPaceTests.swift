// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("A station whose server sets the pace")
struct ServerPaceTests {
    /// How a server sends.
    private struct Pacing: Sendable {
        /// How much sound the server sends at once, at its start.
        var burst = Duration.zero
        /// How many seconds of sound the server sends in each second after its start.
        var pace = 1.0
        /// The pace from a time on, if it changes.
        var later: (time: Duration, pace: Double)?
        /// How much sound the server sends in one piece.
        var piece = Duration.seconds(1)
        /// When the server is unreachable.
        var outages: [Range<Duration>] = []

        /// How many frames can have been sent by a time.
        func due(_ now: Duration) -> Int {
            var sound = self.burst + now * self.pace
            if let later, now > later.time {
                sound = self.burst + later.time * self.pace + (now - later.time) * later.pace
            }
            return Int(sound / NumberedSound.frameTime)
        }
    }

    /// A server that sends at its own pace to a reader; after an outage it continues where it
    /// stopped.
    private final class Server: StationTransport {
        let display = "radio.example"
        let clock: VirtualTime.Clock
        let pacing: Pacing
        let next = Mutex(0)

        init(_ clock: VirtualTime.Clock, _ pacing: Pacing) {
            self.clock = clock
            self.pacing = pacing
        }

        var now: Duration { self.clock.now.offset }
        var isAway: Bool { self.pacing.outages.contains { $0.contains(self.now) } }

        func connect(to target: StationTarget) async throws -> StationAnswer {
            while self.isAway { try await self.clock.sleep(for: .milliseconds(100)) }
            return StationAnswer(
                fields: [],
                mediaType: "audio/mpeg",
                display: self.display,
                body: Body(server: self)
            )
        }

        private final class Body: StationBody {
            private let server: Server

            init(server: Server) { self.server = server }

            func next() async throws -> ByteMemory? {
                let most = max(1, Int(self.server.pacing.piece / NumberedSound.frameTime))
                while !self.server.isAway {
                    let due = self.server.pacing.due(self.server.now)
                    let frames = self.server.next.withLock { next -> Range<Int> in
                        guard due - next >= most else { return next..<next }
                        defer { next += most }
                        return next..<next + most
                    }
                    if !frames.isEmpty { return ByteMemory(frames.flatMap(NumberedSound.frame)) }
                    try await self.server.clock.sleep(for: .milliseconds(50))
                }
                return nil
            }

            func cancel() {}
        }
    }

    /// The results of a listener.
    private struct Course {
        var numbers: [Int] = []
        var told: [Duration] = []
        var sent = 0
        var behind: Duration?
        var behindAtEnd: Duration?

        /// The lengths of the gaps, in frames.
        var jumps: [Int] {
            zip(self.numbers, self.numbers.dropFirst()).map { $1 - $0 - 1 }.filter { $0 > 0 }
        }
    }

    private static func listen(
        for length: Duration,
        _ pacing: Pacing,
        _ body: @escaping @Sendable (Player, VirtualTime) async throws -> Void = { _, _ in }
    ) async throws -> Course {
        let time = VirtualTime()
        let course = Mutex(Course())
        try await time.run {
            let server = Server(time.clock, pacing)
            let station = Station(
                name: "Radio",
                transport: server,
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let sink = NumberedSink(clock: time.clock)
            let player = Player(
                decoders: [NumberedDecoders()],
                sink: sink,
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            let events = player.events()
            player.play([PlayerItem(station)])
            try await time.clock.sleep(for: length)
            course.withLock { $0.behind = player.snapshot.behindLive }
            try await body(player, time)
            course.withLock { $0.behindAtEnd = player.snapshot.behindLive }
            player.stop()
            _ = await player.waitUntilStopped()
            for await event in events {
                if case .skipped(let duration, _) = event {
                    course.withLock { $0.told.append(duration) }
                }
                if case .stateChanged(.stopped, _, _) = event { break }
            }
            course.withLock {
                $0.numbers = sink.numbers
                $0.sent = server.next.withLock { $0 }
            }
            await station.close()
        }
        return course.withLock { $0 }
    }

    @Test("sound that arrives faster for ten seconds, and then in real time, is all heard")
    func burst() async throws {
        let pacing = Pacing(pace: 3, later: (.seconds(10), 1))
        let course = try await Self.listen(for: .seconds(120), pacing)
        #expect(course.jumps == [])
        #expect(course.told == [])
        #expect(NumberedSound.frameTime * course.numbers.count > .seconds(115))
        let behind = try #require(course.behind)
        #expect(behind > .seconds(18) && behind < .seconds(24), "\(behind)")
    }

    @Test("a server that sends twice as fast is slowed down when it is two minutes ahead")
    func slowedDown() async throws {
        let course = try await Self.listen(for: .seconds(1200), Pacing(pace: 2))
        #expect(course.jumps == [])
        #expect(course.told == [])
        let sent = NumberedSound.frameTime * course.sent
        #expect(sent > .seconds(1310) && sent < .seconds(1330), "\(sent)")
    }

    @Test("the lag of an outage is skipped except for ten seconds, and the skip is reported")
    func outage() async throws {
        let pacing = Pacing(burst: .seconds(5), outages: [.seconds(60) ..< .seconds(120)])
        let course = try await Self.listen(for: .seconds(240), pacing)
        try #require(course.told.count == 1 && course.jumps.count == 1)
        #expect(course.told[0] > .seconds(40) && course.told[0] < .seconds(50), "\(course.told)")
        let jump = NumberedSound.frameTime * course.jumps[0]
        #expect(jump <= course.told[0] && jump > course.told[0] - .seconds(1), "\(jump)")
        let behind = try #require(course.behind)
        #expect(behind > .seconds(10) && behind < .seconds(20), "\(behind)")
    }

    /// All sound is heard in order, except for the skips after outages, at any pace.
    ///
    /// The player reports each skip. All skips together last at most as long as all outages, plus a
    /// second for each outage, minus ten seconds.
    @Test(
        "at any pace the player skips only after an outage, and reports each skip",
        arguments: 0..<TestLength.short(8, long: 24) as Range<UInt64>
    )
    func paces(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let pace = 0.5 * Double.random(in: 0...1, using: &generator).power(of: 20)
        let burst = Duration.seconds(Double.random(in: 0...60, using: &generator))
        let piece = Duration.seconds(Double.random(in: 0.1...8, using: &generator))
        var outages: [Range<Duration>] = []
        if !seed.isMultiple(of: 2) {
            var start = Duration.seconds(Double.random(in: 30...100, using: &generator))
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let length = Duration.seconds(Double.random(in: 1...90, using: &generator))
                outages.append(start..<start + length)
                start += length + .seconds(Double.random(in: 20...80, using: &generator))
            }
        }
        let what: Comment =
            "seed \(seed), pace \(pace), burst \(burst), piece \(piece), away \(outages)"
        let pacing = Pacing(burst: burst, pace: pace, piece: piece, outages: outages)
        let course = try await Self.listen(for: .seconds(600), pacing)
        let frame = NumberedSound.frameTime
        #expect(course.numbers.first == 0, what)
        #expect(course.jumps.count == course.told.count, what)
        var allowed = Duration.zero
        for outage in outages { allowed += outage.upperBound - outage.lowerBound + .seconds(1) }
        for (jump, told) in zip(course.jumps, course.told) {
            // A skip drops sound that was written but not heard, and playback resumes up to a
            // quarter of a second earlier.
            #expect(frame * jump <= told && frame * jump > told - .seconds(1), what)
            #expect(told > LiveLag.least, what)
        }
        let sum = course.told.reduce(.zero, +)
        #expect(sum == .zero || sum <= allowed - .seconds(10), what)
        // A listener of a slow server waits; a listener of a fast server hears sound all the time,
        // except in outages.
        let heard = frame * course.numbers.count
        let sent = frame * course.sent - sum
        #expect(heard > min(sent - .seconds(30), .seconds(590)) - allowed, what)
    }

    @Test("one command goes to the live end")
    func live() async throws {
        let course = try await Self.listen(for: .seconds(60), Pacing(pace: 2)) { player, time in
            player.goLive()
            try await time.clock.sleep(for: .seconds(3))
        }
        #expect(try #require(course.behind) > .seconds(55))
        #expect(try #require(course.behindAtEnd) < .seconds(8))
        // A skip that the listener chose is not reported.
        #expect(course.told == [])
        #expect(course.jumps.count == 1)
    }
}

extension Double {
    /// A number from 1 to the base, evenly distributed in its logarithm.
    fileprivate func power(of base: Double) -> Double {
        var (result, exponent) = (1.0, self)
        // Computes the power with square roots, so that the test needs no math library.
        var root = base
        for _ in 0..<32 {
            root = root.squareRoot()
            exponent *= 2
            if exponent >= 1 {
                result *= root
                exponent -= 1
            }
        }
        return result
    }
}
