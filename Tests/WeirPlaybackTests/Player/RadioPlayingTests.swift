// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirLive
import WeirTestKit

@testable import WeirPlayback

@Suite("Playing radio")
struct RadioPlayingTests {
    /// A player that plays a broadcast in virtual time.
    private static func play(
        outages: [RadioBroadcast.Outage] = [],
        titleEvery: Int? = nil,
        sound: RadioBroadcast.Sound = .mp3,
        tick: Duration = .milliseconds(100),
        _ body:
            @escaping @Sendable (VirtualTime, Player, RadioBroadcast, Station) async throws -> Void
    ) async throws {
        let time = VirtualTime()
        try await time.run {
            let broadcast = RadioBroadcast(
                time.clock,
                outages: outages,
                titleEvery: titleEvery,
                sound: sound
            )
            let station = Station(
                name: "Radio",
                transport: broadcast,
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [SilentDecoders(divisor: sound == .aac ? 64 : 1)],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time, tick: tick)
            )
            player.play([PlayerItem(station)])
            try await body(time, player, broadcast, station)
            player.stop()
            _ = await player.waitUntilStopped()
            await station.close()
        }
    }

    @Test("the station plays once a second of sound has arrived")
    func starts() async throws {
        try await Self.play { time, player, broadcast, _ in
            try await time.clock.sleep(for: .seconds(1))
            #expect(player.snapshot.state == .waitingForQueueToStart)
            try await time.clock.sleep(for: .seconds(1))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.isLive)
            #expect(player.snapshot.duration == nil)
            try await time.clock.sleep(for: .seconds(600))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.underruns == 0)
            #expect(player.snapshot.position > .seconds(595))
            #expect(broadcast.connectionCount == 1)
        }
    }

    @Test("titles are reported when their sound is heard")
    func titles() async throws {
        // There are twenty seconds between two titles.
        try await Self.play(titleEvery: 20_000) { time, player, _, _ in
            let events = player.events()
            try await time.clock.sleep(for: .seconds(100))
            player.stop()
            _ = await player.waitUntilStopped()
            var heard: [(String?, Int64)] = []
            for await event in events {
                if case .titleChanged(let title, _, let album, _, let sample) = event {
                    #expect(album == "Radio Example")
                    heard.append((title, sample))
                }
                if case .stateChanged(.stopped, _, _) = event { break }
            }
            #expect(heard.map(\.0) == ["Song 0", "Song 1", "Song 2", "Song 3"])
            // The title precedes byte 20,000, which is in frame 277; each frame has 576 samples.
            for (index, title) in heard.enumerated() {
                #expect(title.1 == Int64(20_000 * (index + 1) / 72 * 576))
            }
        }
    }

    @Test("a server that stalls is left after ten seconds, and the sound continues by itself")
    func stall() async throws {
        let outage = RadioBroadcast.Outage(time: .seconds(60) ..< .seconds(75), kind: .silent)
        try await Self.play(outages: [outage]) { time, player, broadcast, _ in
            try await time.clock.sleep(for: .seconds(68))
            #expect(player.snapshot.state == .buffering)
            #expect(player.snapshot.stopReason == .none)
            try await time.clock.sleep(for: .seconds(5))
            #expect(player.snapshot.state == .buffering)
            #expect(player.snapshot.stopReason == .temporary)
            #expect(player.snapshot.station?.reason?.code == .silent)
            try await time.clock.sleep(for: .seconds(17))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.underruns == 1)
            #expect(broadcast.connectionCount > 1)
        }
    }

    @Test("a pause lasts whatever the station does, and the sound continues at the same place")
    func pausing() async throws {
        let outage = RadioBroadcast.Outage(time: .seconds(60) ..< .seconds(75), kind: .gone)
        try await Self.play(outages: [outage]) { time, player, _, _ in
            try await time.clock.sleep(for: .seconds(50))
            player.pause()
            try await time.clock.sleep(for: .seconds(1))
            let paused = player.snapshot.position
            try await time.clock.sleep(for: .seconds(300))
            #expect(player.snapshot.state == .paused)
            #expect(player.snapshot.position == paused)
            let behind = try #require(player.snapshot.behindLive)
            #expect(behind > .seconds(270) && behind < .seconds(310))
            player.resume()
            try await time.clock.sleep(for: .seconds(10))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.position > paused + .seconds(9))
            player.goLive()
            try await time.clock.sleep(for: .seconds(5))
            #expect(player.snapshot.state == .playing)
            #expect(try #require(player.snapshot.behindLive) < .seconds(5))
        }
    }

    @Test("a seek back plays the kept sound, and a seek forwards returns to the live end")
    func rewinding() async throws {
        try await Self.play { time, player, broadcast, _ in
            try await time.clock.sleep(for: .seconds(120))
            let before = player.snapshot
            player.seek(by: .seconds(-60))
            try await time.clock.sleep(for: .seconds(2))
            let after = player.snapshot
            #expect(after.state == .playing)
            let moved = try #require(after.behindLive) - (try #require(before.behindLive))
            #expect(moved > .seconds(57) && moved < .seconds(63))
            player.seek(by: .seconds(1000))
            try await time.clock.sleep(for: .seconds(5))
            #expect(player.snapshot.state == .playing)
            #expect(try #require(player.snapshot.behindLive) < .seconds(5))
            // There is no sound after the live end, so these seeks skip nothing.
            let live = player.snapshot.position
            for _ in 0..<10 { player.seek(by: .seconds(10)) }
            try await time.clock.sleep(for: .seconds(2))
            #expect(player.snapshot.position - live < .seconds(3))
            #expect(broadcast.connectionCount == 1)
        }
    }

    @Test(
        "the player reports the connection before it plays, in whatever order tasks run",
        arguments: 0..<100
    )
    func orderOfTasks(seed: UInt64) async throws {
        let time = VirtualTime(seed: seed)
        let told = try await time.run {
            let broadcast = RadioBroadcast(
                time.clock,
                outages: [.init(time: .zero ..< .milliseconds(700), kind: .busy)],
                burst: 3
            )
            let station = Station(
                name: "Radio",
                transport: broadcast,
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [SilentDecoders()],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            let events = player.events()
            player.play([PlayerItem(station)])
            try await time.clock.sleep(for: .seconds(10))
            player.stop()
            _ = await player.waitUntilStopped()
            var told: [String] = []
            for await event in events {
                guard case .stateChanged(let state, let reason, _) = event else { continue }
                told.append(reason == .none ? "\(state)" : "\(state)/\(reason)")
                if state == .stopped { break }
            }
            await station.close()
            return told
        }
        let line = told.joined(separator: " ")
        let begin = #/starting starting/temporary (starting )?waitingForData /#
        let sound = #/(waitingForQueueToStart )?playing/#
        let rest = line.prefixMatch(of: begin).map { line[$0.range.upperBound...] } ?? ""
        #expect(rest.starts(with: sound), "\(line)")
    }

    @Test(
        "a recording of the heard sound begins and ends with it, in whatever order tasks run",
        arguments: 0..<100
    )
    func recordedBesideHearing(seed: UInt64) async throws {
        let time = VirtualTime(seed: seed)
        let folder = TemporaryDirectory()
        let path = folder.path
        let seconds = try await time.run {
            let broadcast = RadioBroadcast(time.clock, burst: 7)
            let station = Station(
                name: "Radio",
                transport: broadcast,
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [SilentDecoders()],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            let events = player.events()
            player.play([PlayerItem(station)])
            for await event in events { if case .itemStarted = event { break } }
            let recording = try station.record(into: URL(filePath: path)) { player.stationTime }
            try await time.clock.sleep(for: .milliseconds(8_050))
            let heard = player.snapshot.position / .seconds(1)
            await recording.stop()
            player.stop()
            _ = await player.waitUntilStopped()
            await station.close()
            return heard
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let name = try #require(names.first)
        let bytes = try Data(contentsOf: URL(filePath: folder.path(of: name))).count
        // 72 bytes are 72 ms. The recording learns the heard position every 100 ms.
        #expect(abs(Double(bytes) / 1000 - seconds) < 0.2, "\(bytes) \(seconds)")
    }

    @Test("a station that has ended plays to its end before the file behind it")
    func endedBeforeFile() async throws {
        let time = VirtualTime()
        try await time.run {
            let station = Station(
                name: "Radio",
                transport: RadioBroadcast(time.clock, burst: 7),
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [PCMDecoderFactory(), SilentDecoders()],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            let samples = [Int16](repeating: 1, count: 8000 * 5)
            player.play([PlayerItem(station), PlayerBench.item("file", samples)])
            try await time.clock.sleep(for: .seconds(60))
            let before = player.snapshot
            #expect(before.buffered > .seconds(3))
            await station.close()
            try await time.clock.sleep(for: .seconds(1))
            let after = player.snapshot
            #expect(after.itemIndex == 0)
            #expect(after.generation == before.generation)
            #expect(after.position > before.position)
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.generation == before.generation)
        }
    }

    @Test("after two refusals of the station the player stops, and reports the reason")
    func refused() async throws {
        let time = VirtualTime()
        try await time.run {
            let station = Station(
                name: "Radio",
                transport: RefusingTransport(),
                options: StationOptions(clock: time.clock, executor: time, seed: 3)
            )
            let player = Player(
                decoders: [SilentDecoders()],
                sink: NullSink(clock: time.clock),
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            player.play([PlayerItem(station)])
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .source)
            await station.close()
        }
    }

    @Test(
        "hours of radio with an outage every few minutes: always back, memory flat, time only forwards"
    )
    func day() async throws {
        let length = Duration.seconds(86_400 / 4 * TestLength.short(1, long: 28))
        let outages = Self.outages(seed: 20_260, until: length)
        #expect(outages.count > 50)
        try await Self.play(outages: outages, sound: .aac, tick: .milliseconds(500)) {
            time,
            player,
            broadcast,
            station in
            var last = Duration.zero
            var memory: [Int] = []
            var next = 0
            while time.clock.now.offset < length {
                try await time.clock.sleep(for: .seconds(10))
                let now = time.clock.now.offset
                let snapshot = player.snapshot
                #expect(snapshot.position >= last)
                #expect(snapshot.stopReason == .none || snapshot.stopReason == .temporary)
                last = snapshot.position
                if next < outages.count, now > outages[next].time.upperBound + .seconds(55) {
                    // The longest wait, a new attempt, and eight seconds of sound; unless the next
                    // outage has begun.
                    let isAway = outages.contains {
                        $0.time.lowerBound < now && now < $0.time.upperBound + .seconds(55)
                    }
                    if !isAway {
                        #expect(
                            snapshot.state == .playing,
                            "after outage \(next) of \(outages[next])"
                        )
                    }
                    next += 1
                }
                if Int(now / .seconds(1)) % 3600 < 10 { memory.append(Self.residentKiB()) }
            }
            #expect(player.snapshot.state != .stopped)
            let away = outages.reduce(Duration.zero) {
                $0 + ($1.time.upperBound - $1.time.lowerBound)
            }
            // All sound is heard except for the outages and the time to recover from each.
            #expect(last > length - away - .seconds(45) * outages.count)
            #expect(broadcast.connectionCount > outages.count / 2)
            // The first hours fill the time shift and the allocator's pools.
            let early = memory[3]
            #expect((memory.last ?? .max) < early + 16_384, "\(memory)")
        }
    }

    /// The resident memory of the process in KiB; 0 if the system has no such file.
    private static func residentKiB() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }

    /// Outages of half a second to a minute and a half, two to six minutes apart.
    private static func outages(seed: UInt64, until end: Duration) -> [RadioBroadcast.Outage] {
        var generator = SeededGenerator(seed: seed)
        var outages: [RadioBroadcast.Outage] = []
        var time = Duration.seconds(90)
        while time < end - .seconds(300) {
            let length = Duration.milliseconds(Int.random(in: 500...90_000, using: &generator))
            outages.append(
                RadioBroadcast.Outage(
                    time: time..<(time + length),
                    kind: RadioBroadcast.Kind.allCases[
                        Int.random(in: 0..<RadioBroadcast.Kind.allCases.count, using: &generator)
                    ]
                )
            )
            time += length + .seconds(Int.random(in: 120...360, using: &generator))
        }
        return outages
    }
}
