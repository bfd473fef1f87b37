// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A transport whose first answer has arrived")
struct AnsweredTransportTests {
    /// Returns its pieces, and then the end.
    private final class Body: StationBody {
        private let pieces: Mutex<[String]>
        let cancellations = Mutex(0)

        init(_ pieces: [String] = []) { self.pieces = Mutex(pieces) }

        func next() async throws -> ByteMemory? {
            self.pieces.withLock { $0.isEmpty ? nil : ByteMemory(Array($0.removeFirst().utf8)) }
        }

        func cancel() { self.cancellations.withLock { $0 += 1 } }
    }

    /// Records the targets that it connects to.
    private final class Transport: StationTransport {
        let display = "radio.example"
        let targets = Mutex<[StationTarget]>([])
        let body = Body()

        func connect(to target: StationTarget) async throws -> StationAnswer {
            self.targets.withLock { $0.append(target) }
            return AnsweredTransportTests.answer(self.body)
        }
    }

    private static func answer(_ body: Body) -> StationAnswer {
        StationAnswer(fields: [], mediaType: nil, display: "radio.example", body: body)
    }

    @Test("hands the answer on once, and then sends a new request")
    func handsOn() async throws {
        let (transport, body) = (Transport(), Body())
        let answered = AnsweredTransport(transport, answer: Self.answer(body))
        #expect(answered.display == "radio.example")
        #expect(try await answered.connect(to: .station).body === body)
        #expect(transport.targets.withLock { $0 }.isEmpty)
        #expect(try await answered.connect(to: .station).body === transport.body)
        #expect(transport.targets.withLock { $0 } == [.station])
        answered.abandon()
        #expect(body.cancellations.withLock { $0 } == 0)
    }

    @Test("sends a new request for a playlist's entry, and keeps the answer for the station")
    func entries() async throws {
        let (transport, body) = (Transport(), Body())
        let answered = AnsweredTransport(transport, answer: Self.answer(body))
        #expect(try await answered.connect(to: .entry("b")).body === transport.body)
        #expect(try await answered.connect(to: .station).body === body)
        #expect(transport.targets.withLock { $0 } == [.entry("b")])
    }

    @Test("hands on an entry's answer only when that entry is requested")
    func answeredEntry() async throws {
        let (transport, body) = (Transport(), Body())
        let answer = Self.answer(body)
        let answered = AnsweredTransport(transport, answer: answer, to: .entry("b"))
        #expect(try await answered.connect(to: .station).body === transport.body)
        #expect(try await answered.connect(to: .entry("b")).body === body)
    }

    /// Sends no response, or no bytes after the response's head.
    private final class SilentTransport: StationTransport, StationBody {
        let display = "radio.example"
        func connect(to target: StationTarget) async throws -> StationAnswer {
            try await Signal().wait(after: 0)
            throw CancellationError()
        }
        func next() async throws -> ByteMemory? {
            try await Signal().wait(after: 0)
            return nil
        }
        func cancel() {}
    }

    @Test("waits for a silent server as long as a station does, and then fails")
    func silence() async throws {
        let clock = ManualClock()
        async let failure = #expect(throws: SourceError.self) {
            try await SilentTransport().answer(clock: clock)
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(15))
        let answerless = await failure
        #expect(answerless?.code == .timedOut)
        #expect(
            answerless?.message.hasPrefix("radio.example did not answer within 15.0 sec") == true
        )
        let silent = SilentTransport()
        let answer = StationAnswer(fields: [], mediaType: nil, display: "", body: silent)
        let answered = AnsweredTransport(silent, answer: answer)
        async let ending = #expect(throws: SourceError.self) {
            try await answered.beginning(clock: clock)
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await ending?.code == .timedOut)
    }

    /// Returns a list, and then leaves the connection open until the read is cancelled.
    private final class OpenBody: StationBody {
        private let isGiven = Mutex(false)
        /// Fires when the reader asks for more bytes than the list has.
        let isEmpty = Signal()

        func next() async throws -> ByteMemory? {
            let isFirst = self.isGiven.withLock { isGiven in
                defer { isGiven = true }
                return !isGiven
            }
            if isFirst { return ByteMemory(Array("#EXTM3U\na.mp3\n".utf8)) }
            self.isEmpty.raise()
            try await Signal().wait(after: 0)
            throw CancellationError()
        }

        func cancel() {}
    }

    @Test("accepts a list as complete if the server is silent and keeps the connection open")
    func openList() async throws {
        let clock = ManualClock()
        let body = OpenBody()
        let answer = StationAnswer(fields: [], mediaType: nil, display: "", body: body)
        let answered = AnsweredTransport(Transport(), answer: answer)
        async let head = answered.peek(1_000, clock: clock)
        try await body.isEmpty.wait(after: 0)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        let list = Array("#EXTM3U\na.mp3\n".utf8)
        #expect(try await head == list)
        #expect(try await answered.beginning(clock: clock) == list)
        let openBody = OpenBody()
        let open = StationAnswer(fields: [], mediaType: nil, display: "", body: openBody)
        let unseen = AnsweredTransport(Transport(), answer: open)
        async let whole = unseen.beginning(clock: clock)
        try await openBody.isEmpty.wait(after: 0)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(try await whole == list)
    }

    @Test("ends an unused answer once")
    func abandons() async throws {
        let body = Body()
        let answered = AnsweredTransport(Transport(), answer: Self.answer(body))
        answered.abandon()
        answered.abandon()
        #expect(body.cancellations.withLock { $0 } == 1)
    }

    @Test("shows the first bytes, and hands the answer on whole")
    func peeks() async throws {
        let body = Body(["#EXT", "M3U\n", "http://radio.example/a\n"])
        let transport = Transport()
        let answered = AnsweredTransport(transport, answer: Self.answer(body))
        let head = try #require(try await answered.peek(6))
        #expect(String(decoding: head, as: UTF8.self) == "#EXTM3")
        let all = try #require(try await answered.peek(100))
        #expect(String(decoding: all, as: UTF8.self) == "#EXTM3U\nhttp://radio.example/a\n")
        let bytes = try await answered.beginning()
        #expect(String(decoding: bytes, as: UTF8.self) == "#EXTM3U\nhttp://radio.example/a\n")
        #expect(body.cancellations.withLock { $0 } == 1)
        #expect(try await answered.peek(1) == nil)
        #expect(transport.targets.withLock { $0 }.isEmpty)
    }

    @Test("gives the bytes of a playlist's answer, and ends the answer")
    func playlists() async throws {
        let body = Body(["#EXTM3U\n", "http://radio.example/a\n"])
        let answered = AnsweredTransport(Transport(), answer: Self.answer(body))
        let bytes = try await answered.beginning()
        #expect(String(decoding: bytes, as: UTF8.self) == "#EXTM3U\nhttp://radio.example/a\n")
        #expect(body.cancellations.withLock { $0 } == 1)
    }

    @Test("stops reading after the largest size of a playlist")
    func endless() async throws {
        let piece = String(repeating: "x", count: Playlist.maximumByteCount)
        let body = Body([piece, piece, piece])
        let answered = AnsweredTransport(Transport(), answer: Self.answer(body))
        #expect(try await answered.beginning().count == 2 * Playlist.maximumByteCount)
    }
}
