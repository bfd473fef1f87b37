// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A station and its listeners")
struct StationSharingTests {
    @Test("gets no request before the first listener, and one request for all listeners")
    func oneConnection() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: nil)]) }).run { studio in
            try await studio.pass(.seconds(5))
            #expect(studio.transport.calls.isEmpty)
            #expect(studio.station.status == StationStatus())
            let first = studio.hear()
            try await studio.pass(.seconds(5))
            let second = studio.hear()
            try await studio.pass(.seconds(5))
            #expect(studio.transport.calls.count == 1)
            let one = try #require(first.numbers)
            let two = try #require(second.numbers)
            #expect(one.suffix(two.count).elementsEqual(two))
            #expect(two.count > 120 && one.count > 260)
        }
    }

    @Test("ends its connection 250 ms after the last listener has left, and not before")
    func grace() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: nil)]) }).run { studio in
            let first = studio.hear()
            let second = studio.hear()
            try await studio.pass(.seconds(5))
            first.listener.cancel()
            try await studio.pass(.seconds(1))
            #expect(studio.station.status.phase == .live)
            second.listener.cancel()
            try await studio.pass(.milliseconds(200))
            #expect(studio.transport.openCount == 1)
            let third = studio.hear()
            try await studio.pass(.seconds(2))
            #expect(studio.transport.calls.count == 1)
            third.listener.cancel()
            try await studio.pass(.milliseconds(260))
            #expect(studio.transport.openCount == 0)
            #expect(studio.station.status.phase == .idle)
            #expect(first.state.value.isEnded && second.state.value.isEnded)
            #expect(first.state.value.loss == nil && !first.state.value.wasCancelled)
        }
    }

    @Test("ends its connection when a listener is dropped")
    func dropped() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: nil)]) }).run { studio in
            var listener: StationListener? = studio.station.listen()
            _ = try await listener?.next()
            #expect(studio.transport.openCount == 1)
            listener = nil
            try await studio.pass(.seconds(1))
            #expect(studio.transport.openCount == 0)
        }
    }

    @Test("gives a listener that returns after a pause new sound, and no old sound")
    func rest() async throws {
        try await Studio.scene(
            options: { $0.burst = .seconds(2) },
            script: { _, _ in .answers([.radio(for: nil)]) }
        ).run { studio in
            let first = studio.hear()
            try await studio.pass(.seconds(5))
            first.listener.cancel()
            try await studio.pass(.seconds(60))
            let second = studio.hear()
            try await studio.pass(.seconds(5))
            #expect(second.causes == ["joined"])
            #expect(second.stretches.first?.stretch.gap == .zero)
            let number = try #require(second.numbers?.first)
            #expect(NumberedFrames.duration * number >= .milliseconds(64_900))
        }
    }

    @Test("gives a listener that joins a running station the newest 2 s at once")
    func burst() async throws {
        try await Studio.scene(
            options: { $0.burst = .seconds(2) },
            script: { _, _ in .answers([.radio(for: nil)]) }
        ).run { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(20))
            let second = studio.hear()
            try await studio.pass(.zero)
            try await studio.pass(.milliseconds(1))
            let count = second.stretches.first?.bytes.count ?? 0
            #expect(count >= 2 * 4000 && count < 3 * 4000, "\(count)")
            #expect(second.stretches.first?.stretch.cause == .joined)
        }
    }

    @Test("ends a cancelled listener at once, and no other", arguments: [true, false])
    func cancelled(byTask: Bool) async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: .seconds(4)), .hangs]) }).run
        { studio in
            let other = studio.hear()
            let listener = studio.station.listen()
            let task = Task(executorPreference: studio.time) { () -> Duration? in
                do {
                    while try await listener.next() != nil {}
                    return byTask ? nil : studio.timeline.elapsed()
                } catch is CancellationError {
                    return byTask ? studio.timeline.elapsed() : nil
                }
            }
            try await studio.pass(.seconds(7))
            if byTask { task.cancel() } else { listener.cancel() }
            let time = try await task.value
            #expect(time == .seconds(7))
            #expect(!other.state.value.isEnded)
        }
    }

    @Test("ends all waiting listeners when it is closed, in any state", arguments: 0..<4)
    func closed(state: Int) async throws {
        let scripts: [ScriptedAnswer] = [
            .hangs, .answers([.hangs]), .answers([.radio(for: nil)]),
            .fails(SourceError(.unreachable, "No such host.")),
        ]
        let script = scripts[state]
        try await Studio.scene(script: { _, _ in script }).run { studio in
            let hearings = (0..<3).map { _ in studio.hear() }
            try await studio.pass(.milliseconds(9500))
            await studio.station.close()
            try await studio.pass(.milliseconds(1))
            for hearing in hearings {
                #expect(hearing.state.value.isEnded)
                #expect(hearing.state.value.loss == nil && !hearing.state.value.wasCancelled)
            }
            #expect(studio.transport.openCount == 0)
            #expect(studio.station.status.phase == .ended)
            #expect(try await studio.station.listen().next() == nil)
            let count = studio.transport.calls.count
            try await studio.pass(.seconds(100))
            #expect(studio.transport.calls.count == count)
        }
    }

    @Test("reports its state, and then each change until its end")
    func statuses() async throws {
        try await Studio.scene(script: { number, _ in
            number == 1
                ? .fails(SourceError(.unreachable, "Gone.")) : .answers([.radio(for: .seconds(12))])
        }).run { studio in
            let changes = studio.station.statusChanges()
            let seen = Watched<[StationStatus.Phase]>([])
            let watcher = Task(executorPreference: studio.time) {
                for await status in changes { seen.update { $0.append(status.phase) } }
            }
            try await studio.pass(.milliseconds(1))
            _ = studio.hear()
            try await studio.pass(.seconds(14))
            await studio.station.close()
            await watcher.value
            // `connecting` comes twice at first: for the request, and for the response, which names the station.
            #expect(
                seen.value == [
                    .idle, .connecting, .connecting, .live, .connecting, .waiting(.seconds(1)),
                    .connecting, .live, .ended,
                ]
            )
        }
    }

    @Test("gives the header pages to a listener that joins an Ogg stream late")
    func lateOgg() async throws {
        var ogg = TinyOgg(serial: 5)
        let headers = ogg.headers(title: "A")
        var steps: [ScriptedAnswer.Step] = [.bytes(headers)]
        for number in 0..<200 {
            steps += [.bytes(ogg.sound(fill: UInt8(number))), .wait(.milliseconds(200))]
        }
        let made = steps
        try await Studio.scene(script: { _, _ in .answers(made, mediaType: "application/ogg") }).run
        { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(10))
            let late = studio.hear()
            try await studio.pass(.seconds(10))
            let heard = try #require(late.stretches.first)
            let stretch = heard.stretch
            #expect(stretch.container == .ogg)
            #expect(stretch.head == ByteMemory(headers))
            var parser = AudioStreamParser(container: .ogg, startingAt: stretch.headOffset)
            parser.push(stretch.head)
            while try parser.next() != nil {}
            parser.jump(to: stretch.offset)
            parser.push(ByteMemory(heard.bytes))
            var fills: [UInt8] = []
            while let event = try parser.next() {
                if case .packet(let packet) = event { fills.append(packet.payload[1]) }
            }
            // Fifty pages were sent before; every packet from the first whole page on is present.
            #expect(fills.count >= 480)
            #expect(fills.first.map { $0 >= 48 && $0 <= 51 } == true)
            #expect(zip(fills, fills.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 1 })
        }
    }

    @Test(
        "gives a listener that joins a chain late the headers of the current song, not of the first"
    )
    func lateChain() async throws {
        var steps: [ScriptedAnswer.Step] = []
        var heads: [[UInt8]] = []
        for serial in 1...5 {
            var ogg = TinyOgg(serial: UInt32(serial))
            heads.append(ogg.headers(title: "Song \(serial)"))
            steps.append(.bytes(heads[serial - 1]))
            for number in 0..<20 {
                steps += [.bytes(ogg.sound(isLast: number == 19)), .wait(.milliseconds(200))]
            }
        }
        let made = steps
        let expected = heads
        try await Studio.scene(script: { _, _ in
            .answers(made + [.hangs], mediaType: "application/ogg")
        }).run { studio in
            _ = studio.hear()
            for song in 0..<5 {
                try await studio.pass(.seconds(song == 0 ? 2 : 4))
                let late = studio.hear()
                try await studio.pass(.milliseconds(1))
                #expect(late.stretches.first?.stretch.head == ByteMemory(expected[song]))
                late.listener.cancel()
            }
            let early = studio.hear(from: .behind(.seconds(10)))
            try await studio.pass(.milliseconds(1))
            #expect(early.stretches.first?.stretch.head == ByteMemory(expected[2]))
            #expect(studio.transport.calls.count == 1)
        }
    }

    @Test("may change its format in mid-connection, keeps the connection, and loses nothing")
    func change() async throws {
        let aac = TinyADTS.frames(0..<400)
        try await Studio.scene(script: { _, _ in
            .answers(
                [.radio(for: .seconds(10))] + aac.split(by: 1000).map { .bytes($0) } + [.hangs]
            )
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(15))
            #expect(studio.transport.calls.count == 1)
            #expect(hearing.stretches.map(\.stretch.container) == [.mpegAudio, .adts])
            #expect(hearing.causes == ["joined", "reconnected(nil)"])
            let bytes = hearing.stretches.last?.bytes ?? []
            // The parser keeps the last frame until it sees the next one.
            #expect(aac.starts(with: bytes) && bytes.count >= aac.count - 100)
        }
    }

    @Test("counts the bytes between titles from zero on every connection")
    func metadata() async throws {
        try await Studio.scene(script: { number, _ in
            let sound = NumberedFrames.frames(number * 500..<number * 500 + 400)
            let interval = number == 0 ? 1000 : 700
            let body = sound.withTitles(every: interval) { $0 == 3 ? "Title \(number)" : nil }
            var steps = body.split(by: 333).flatMap {
                [ScriptedAnswer.Step.bytes($0), .wait(.milliseconds(20))]
            }
            if number > 1 { steps = [.hangs] }
            return .answers(steps, fields: [("ICY-MetaInt", "\(interval)"), ("icy-name", "Radio")])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(20))
            #expect(hearing.numbers == Array(0..<400) + Array(500..<900))
            #expect(hearing.stretches.map(\.titles) == [["Title 0"], ["Title 1"]])
            #expect(hearing.stretches.map(\.titleOffsets) == [[4000], [2800]])
            #expect(hearing.stretches.first?.stretch.info.headers.name == "Radio")
        }
    }
}
