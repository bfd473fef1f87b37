// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("A stream while it is sent")
struct RadioSendingTests {
    private func sending(_ pace: RadioPace = RadioPace(), _ quirks: RadioQuirk...) -> RadioSending {
        var behaviour = RadioBehaviour()
        behaviour.quirks = quirks
        let programme = RadioProgramme([RadioFile(.pattern(length: 100_000))])
        let feed = RadioFeed(programme, behaviour, from: 0, hasTitles: false)
        return RadioSending(feed, behaviour, pace: pace)
    }

    /// Runs a sending on a clock that jumps; stops at a stall, at its end, or at a time.
    private func play(
        _ sending: inout RadioSending,
        from start: Duration = .zero,
        until end: Duration
    )
        -> (bytes: [UInt8], log: [(Duration, Int)], last: RadioSending.Step, now: Duration)
    {
        var (bytes, log, now) = ([UInt8](), [(Duration, Int)](), start)
        while true {
            let step = sending.next(now: now)
            switch step {
            case .write(let piece, let count):
                bytes += piece
                log.append((now, count))
            case .wait(let time):
                guard time <= end, time > now else { return (bytes, log, step, now) }
                now = time
            case .stall, .close:
                return (bytes, log, step, now)
            }
        }
    }

    @Test("keeps its rate after its burst, at every moment")
    func pace() {
        var sending = self.sending(RadioPace(bytesPerSecond: 16_000, burst: 32_000))
        let (bytes, log, _, _) = self.play(&sending, until: .seconds(10))
        #expect((32_000 + 160_000 - 1_600...32_000 + 160_000).contains(bytes.count))
        var sum = 0
        for (time, count) in log {
            sum += count
            #expect(Double(sum) <= 32_000 + 16_000 * time.inSeconds + 0.01)
            #expect(Double(sum) >= 32_000 + 16_000 * time.inSeconds - 1_600 || sum <= 32_000)
        }
    }

    @Test("is silent for the given time, and then sends the missed bytes")
    func stall() {
        let pace = RadioPace(bytesPerSecond: 10_000)
        var sending = self.sending(pace, .stall(after: 5_000, seconds: 5))
        let (bytes, log, _, _) = self.play(&sending, until: .seconds(10))
        #expect(bytes.count == 100_000)
        let gaps = zip(log, log.dropFirst()).map { $1.0 - $0.0 }
        // The stall begins when the next byte would be due.
        #expect(gaps.max().map { $0 >= .seconds(5) && $0 < .seconds(5.2) } == true)
        #expect(gaps.count { $0 > .seconds(1) } == 1)
    }

    @Test("is silent until the stall is ended")
    func endlessStall() {
        var sending = self.sending(RadioPace(), .stall(after: 1_000), .cut(after: 2_000))
        let (bytes, _, last, _) = self.play(&sending, until: .seconds(1))
        #expect(bytes.count == 1_000)
        #expect(last == .stall)
        #expect(sending.next(now: .seconds(1_000)) == .stall)
        sending.endStall()
        #expect(self.play(&sending, until: .seconds(1)).bytes.count == 1_000)
    }

    @Test("ends after the given bytes, exactly, and after the given seconds, also in a stall")
    func ends() {
        var cut = self.sending(RadioPace(), .cut(after: 70_001), .portions([16, 3, 5]))
        let (bytes, _, last, _) = self.play(&cut, until: .seconds(1))
        #expect(bytes.count == 70_001 && last == .close)
        let pace = RadioPace(bytesPerSecond: 1_000)
        for quirks in [
            [RadioQuirk.close(seconds: 3)], [.close(seconds: 3), .stall(after: 10, seconds: 60)],
        ] {
            var behaviour = RadioBehaviour()
            behaviour.quirks = quirks
            let feed = RadioFeed(
                RadioProgramme([RadioFile(.pattern(length: 10))]),
                behaviour,
                from: 0,
                hasTitles: false
            )
            var timed = RadioSending(feed, behaviour, pace: pace)
            let result = self.play(&timed, until: .seconds(10))
            #expect(result.last == .close && result.now == .seconds(3))
        }
    }

    @Test("is written in its portions, each a chunk of its own if the body is chunked")
    func portions() {
        var sending = self.sending(RadioPace(), .chunked, .portions([1, 20]), .cut(after: 22))
        let (bytes, log, _, _) = self.play(&sending, until: .seconds(1))
        #expect(log.map(\.1) == [1, 20, 1])
        let sound = PatternBytes.bytes(in: 0..<22)
        let expected =
            Array("1\r\n".utf8) + [sound[0]] + Array("\r\n14\r\n".utf8) + sound[1..<21]
            + Array("\r\n1\r\n".utf8) + [sound[21]] + Array("\r\n".utf8)
        let isSame = bytes == expected
        #expect(isSame)
    }

    @Test("ends when its file can no longer be read")
    func unreadable() {
        let content = ServedContent(length: 10) { _ in [] }
        let feed = RadioFeed(
            RadioProgramme([RadioFile(content)]),
            RadioBehaviour(),
            from: 0,
            hasTitles: true
        )
        var sending = RadioSending(feed, RadioBehaviour(), pace: RadioPace())
        #expect(sending.next(now: .zero) == .close)
    }
}
