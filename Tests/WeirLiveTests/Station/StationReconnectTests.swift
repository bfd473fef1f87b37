// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A station that is lost")
struct StationReconnectTests {
    @Test("reconnects when the server closes every 3 s, and loses little more than the waits")
    func closes() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: .seconds(3))]) }).run {
            studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(120))
            let numbers = try #require(hearing.numbers)
            let missed = try #require(Studio.missed(numbers))
            // Four connections bring more than 10 s of sound, which proves that the station works.
            #expect(missed < .seconds(30), "\(missed)")
            #expect(Set(hearing.causes.dropFirst()) == ["reconnected(ended)"])
            let waits = zip(studio.transport.times, studio.transport.times.dropFirst()).map {
                $1 - $0 - 2880
            }
            #expect(Array(waits.prefix(8)) == [0, 1000, 1000, 0, 1000, 1000, 1000, 0])
            #expect(studio.transport.openCount <= 1)
        }
    }

    @Test("is asked again after 10 s of silence, and not before", arguments: [5, 15, 60])
    func stalls(seconds: Int) async throws {
        try await Studio.scene(script: { number, _ in
            number == 0
                ? .answers([
                    .radio(for: .seconds(20)), .wait(.seconds(seconds)), .radio(for: nil),
                ])
                : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(120))
            let numbers = try #require(hearing.numbers)
            let missed = try #require(Studio.missed(numbers))
            #expect(studio.transport.calls.count == (seconds == 5 ? 1 : 2))
            // A silence of five seconds loses five seconds of sound. After ten seconds of silence the station
            // reconnects.
            #expect(missed <= .seconds(min(seconds, 10)) + .milliseconds(400), "\(missed)")
            if seconds > 5 { #expect(hearing.causes == ["joined", "reconnected(silent)"]) }
            #expect(studio.station.status.phase == .live)
            #expect(studio.station.status.reason == nil)
            #expect(studio.station.status.reconnects == (seconds == 5 ? 0 : 1))
        }
    }

    @Test("waits 0, 1, 2, 4, 8, 16, 30, 30 s while the host is unreachable")
    func unreachable() async throws {
        try await Studio.scene(script: { _, _ in
            .fails(SourceError(.unreachable, "No such host."))
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(100))
            #expect(studio.transport.times == [0, 0, 1000, 3000, 7000, 15000, 31000, 61000, 91000])
            #expect(studio.station.status.phase == .waiting(.seconds(30)))
            #expect(studio.station.status.attempt == 9)
            #expect(studio.station.status.reason?.code == .unreachable)
            #expect(hearing.stretches.isEmpty)
            studio.station.pathChanged()
            try await studio.pass(.milliseconds(500))
            #expect(Array(studio.transport.times.suffix(2)) == [100_000, 100_000])
            #expect(studio.station.status.phase == .waiting(.seconds(1)))
        }
    }

    @Test("is asked again when no header comes within 15 s")
    func noHead() async throws {
        try await Studio.scene(script: { number, _ in
            number == 0 ? .hangs : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(20))
            #expect(studio.transport.times == [0, 15_000])
            #expect(hearing.causes == ["joined"])
        }
    }

    @Test(
        "ends after two refusals, and tries again for the next listener",
        arguments: [401, 403, 404, 410]
    )
    func refuses(status: Int) async throws {
        try await Studio.scene(script: { number, _ in
            number < 2 ? .refuses(status) : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(5))
            #expect(studio.transport.calls.count == 2)
            #expect(hearing.state.value.loss?.code == .refused)
            #expect(studio.station.status.phase == .ended)
            let next = studio.hear()
            try await studio.pass(.seconds(5))
            #expect(next.causes == ["joined"])
            #expect(studio.station.status.phase == .live)
        }
    }

    @Test("continues after one refusal between other failures")
    func refusesOnce() async throws {
        try await Studio.scene(script: { number, _ in
            number % 2 == 0 ? .refuses(404) : .refuses(503)
        }).run { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(10))
            #expect(studio.transport.calls.count == 5)
        }
    }

    @Test("keeps trying when a page comes instead of sound")
    func page() async throws {
        let page = Array("<!DOCTYPE html><html><body>Log in</body></html>".utf8)
        try await Studio.scene(script: { number, _ in
            number < 3
                ? .answers([.bytes(page)], mediaType: "text/html") : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.milliseconds(500))
            #expect(studio.station.status.reason?.code == .notAudio)
            #expect(studio.station.status.attempt == 2)
            try await studio.pass(.seconds(10))
            #expect(studio.transport.times == [0, 0, 1000, 3000])
            #expect(hearing.causes == ["joined"])
            #expect(hearing.numbers != nil)
        }
    }

    @Test(
        "survives 100 KiB of garbage without another connection",
        arguments: ["audio/mpeg", "", "audio/aac"]
    )
    func garbage(type: String) async throws {
        var generator = SeededGenerator(seed: 5)
        let garbage = (0..<100 << 10).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try await Studio.scene(script: { _, _ in
            .answers(
                [.bytes(garbage), .radio(for: .seconds(20)), .bytes(garbage), .radio(for: nil)],
                mediaType: type.isEmpty ? nil : type
            )
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(40))
            #expect(studio.transport.calls.count == 1)
            let bytes = hearing.stretches.flatMap(\.bytes)
            #expect(hearing.stretches.first?.stretch.container == .mpegAudio)
            // 40 s are 1111 frames; frames between the two broadcasts may be kept or dropped.
            let frames = bytes.indices.filter { NumberedFrames.number(bytes, at: $0) != nil }.count
            #expect(frames > 1080, "\(frames)")
            #expect(NumberedFrames.number(bytes, at: 0) == 0)
        }
    }

    @Test("is asked again after 1 MiB of garbage")
    func muchGarbage() async throws {
        var generator = SeededGenerator(seed: 6)
        let garbage = (0..<64 << 10).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try await Studio.scene(script: { number, _ in
            number == 0
                ? .answers(.init(repeating: .bytes(garbage), count: 20) + [.hangs])
                : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(5))
            #expect(studio.transport.times == [0, 0])
            #expect(hearing.numbers != nil)
        }
    }

    @Test("is asked again when bytes come without sound")
    func mute() async throws {
        try await Studio.scene(script: { number, _ in
            var drip: [ScriptedAnswer.Step] = [.radio(for: .seconds(20))]
            for _ in 0..<100 { drip += [.wait(.seconds(1)), .bytes([1, 2, 3])] }
            return number == 0 ? .answers(drip) : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(60))
            #expect(studio.transport.calls.count == 2)
            #expect(hearing.causes == ["joined", "reconnected(notAudio)"])
        }
    }

    @Test(
        "notices within 2 s of a network change that its connection hangs, and keeps a working one"
    )
    func pathChanged() async throws {
        try await Studio.scene(script: { number, _ in
            number == 0
                ? .answers([.radio(for: .seconds(20)), .hangs]) : .answers([.radio(for: nil)])
        }).run { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(10))
            studio.station.pathChanged()
            try await studio.pass(.seconds(11))
            #expect(studio.transport.calls.count == 1)
            studio.station.pathChanged()
            try await studio.pass(.milliseconds(2100))
            #expect(studio.transport.calls.count == 2)
            #expect(
                studio.station.status.phase == .live || studio.station.status.phase == .connecting
            )
        }
    }
}
