// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirHTTP

@Suite("Readings that share a host's connections", .timeLimit(.minutes(5)))
struct QueuedTransportTests {
    private static let forever = Duration.seconds(1_000_000_000)

    /// Options in which only the wait for a slot can time out.
    private static func options(slot: Duration = Self.forever) -> HTTPOrigin.Options {
        HTTPOrigin.Options(
            timeouts: HTTPOrigin.Timeouts(
                connect: Self.forever,
                firstByte: Self.forever,
                idle: Self.forever,
                slot: slot
            )
        )
    }

    /// A resting holder is asked for its slot as soon as a request waits.
    private static func limits(slots: Int) -> HostSlots.Limits {
        HostSlots.Limits(slots: slots, shortRest: .zero)
    }

    /// Advances the clock until the work has ended.
    private func finish<Result: Sendable>(
        _ clock: ManualClock,
        once isReady: @escaping @Sendable () -> Bool,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                while !isReady(), !Task.isCancelled { await Task.yield() }
                while !Task.isCancelled {
                    clock.advance(by: .milliseconds(100))
                    await Task.yield()
                }
                return nil
            }
            let result = try await group.next()
            group.cancelAll()
            return try #require(result ?? nil)
        }
    }

    @Test("a reading whose consumer takes no bytes lends its connection to another, and goes on")
    func givesWay() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let queued = QueuedTransport(
            transport,
            limits: Self.limits(slots: 1),
            clock: ManualClock()
        )
        let paused = try makeOrigin("https://media.test/a", transport: queued)
        let other = try makeOrigin("https://media.test/b", transport: queued)
        let iterator = try await paused.read(.whole).makeAsyncIterator()
        var bytes = try await iterator.next()?.bytes() ?? []
        let newcomer = try await other.read(.whole).collect()
        #expect(newcomer == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.bodies.first?.state.value.isCancelled == true)
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.ranges == ["bytes=0-", "bytes=0-", "bytes=1000-9999"])
        #expect(transport.requests.last?.headers["If-Range"] == "\"v1\"")
    }

    @Test("a reading whose consumer takes no bytes for ten seconds gives its connection back")
    func parks() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        let origin = try makeOrigin(
            transport: QueuedTransport(transport, clock: clock),
            clock: clock
        )
        let iterator = try await origin.read(.whole).makeAsyncIterator()
        var bytes = try await iterator.next()?.bytes() ?? []
        try await clock.pass(.seconds(10))
        try await transport.bodies[0].state.wait { $0.isCancelled }
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.ranges == ["bytes=0-", "bytes=1000-9999"])
    }

    @Test(
        "a reading of an origin without ranges keeps its connection, and the waiting request's error says why"
    )
    func keepsWithoutRanges() async throws {
        let file = ScriptedFile(answersRanges: false)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        let log = EventLog()
        let queued = QueuedTransport(transport, connectionsPerHost: 1, clock: clock)
        let paused = try makeOrigin(transport: queued, options: Self.options(), clock: clock)
        let other = try makeOrigin(
            transport: queued,
            // Notices about the waiting request wake the timer, which then checks the limit for the slot.
            options: Self.options(slot: .seconds(30)),
            clock: clock,
            log: log
        )
        let iterator = try await paused.read(.whole).makeAsyncIterator()
        var bytes = try await iterator.next()?.bytes() ?? []
        let error = try await self.finish(
            clock,
            once: { queued.waitingCount == 1 },
            { await sourceError { _ = try await other.read(.whole) } }
        )
        #expect(error?.code == .timedOut)
        #expect(
            error?.message
                == "Weir did not request https://media.test/folder/song.mp3 from media.test, because all connections that"
                + " it opens to one host are in use (it waited 30 s for one of 1 connections); stop other"
                + " playback from the host, or try again later."
        )
        #expect(log.lines.value.contains("waitingForConnection(host: \"media.test\", limit: 1)"))
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.requests.count == 1)
    }

    @Test("an abandoned reading is asked for its connection as soon as another request comes")
    func abandoned() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let queued = QueuedTransport(transport, clock: ManualClock())
        let origin = try makeOrigin(transport: queued)
        let asked = Watched(0)
        let reading = try await origin.read(.whole)
        reading.abandon { asked.update { $0 += 1 } }
        _ = try await origin.describe()
        #expect(asked.value == 1)
        reading.reclaim()
        _ = try await origin.describe()
        #expect(asked.value == 1)
        #expect(try await reading.collect().count == 10_000)
    }

    @Test("a slot is free again after a response, a failure and a cancellation")
    func returnsPlaces() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            index % 3 == 1
                ? .fail(HTTPTransportError(.malformed, "nonsense")) : file.reply(to: request)
        }
        let queued = QueuedTransport(transport, connectionsPerHost: 1, clock: ManualClock())
        let origin = try makeOrigin(transport: queued)
        for _ in 0..<10 {
            _ = try await origin.read(.whole).collect()
            #expect(await sourceError { _ = try await origin.read(.whole) }?.code == .badAnswer)
            _ = try await origin.read(.from(10)).makeAsyncIterator().next()
        }
        #expect(transport.requests.count == 30)
    }

    @Test(
        "three readers share two real connections: two rest, the third reads, and all get their bytes"
    )
    func overSockets() async throws {
        let file = PatternFile(length: 20_000_000)
        let server = try await ScriptedServer.start { file.answer($0) }
        let client = try NIOTransport(.init(proxies: ProxySettings.none))
        let queued = QueuedTransport(client, limits: Self.limits(slots: 2), clock: ManualClock())
        let origin = HTTPOrigin(url: try OriginURL(server.url("/a.mp3")), transport: queued)
        var resting: [(ByteReading.AsyncIterator, Int64)] = []
        for _ in 0..<2 {
            let iterator = try await origin.read(.whole).makeAsyncIterator()
            resting.append((iterator, try await iterator.next()?.range.upperBound ?? 0))
        }
        let tail = try await origin.read(.suffix(1000)).collect()
        #expect(tail == PatternBytes.bytes(in: 19_999_000..<20_000_000))
        for (iterator, start) in resting {
            var position = start
            while let chunk = try await iterator.next() {
                #expect(chunk.range.lowerBound == position)
                #expect(PatternBytes.firstDifference(in: try chunk.bytes(), at: position) == nil)
                position = chunk.range.upperBound
            }
            #expect(position == 20_000_000)
        }
        await client.shutdown()
        await server.shutdown()
    }
}
