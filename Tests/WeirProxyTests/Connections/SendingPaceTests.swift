// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

@Suite("The pace of sending to clients")
struct SendingPaceTests {
    private let clock = ManualClock()

    private func connection(
        _ pace: SendingPace,
        size: Int,
        from client: ClientAddress = .unknown
    ) throws -> EmbeddedConnection {
        let bytes = PatternBytes.bytes(in: 0..<Int64(size))
        return try EmbeddedConnection(
            ["/a": ResidentSource(ScriptedResource(bytes: bytes))],
            pace: pace,
            client: client
        )
    }

    private func advance(_ connection: EmbeddedConnection, milliseconds: Int64) {
        self.clock.advance(by: .milliseconds(milliseconds))
        connection.advance(milliseconds: milliseconds)
    }

    @Test("a long answer is sent at the rate, in short turns, and every byte arrives")
    func long() throws {
        let pace = try #require(SendingPace(SendingLimits(client: 256 << 10), clock: self.clock))
        let connection = try self.connection(pace, size: 1 << 20)
        try connection.receive(Array(RawClient.request("/a").utf8))
        var runs = try connection.sentPieces().runs
        #expect(runs == [0..<(64 << 10)])
        for _ in 0..<15 {
            self.advance(connection, milliseconds: 249)
            #expect(try connection.sentPieces().runs.isEmpty)
            self.advance(connection, milliseconds: 1)
            runs += try connection.sentPieces().runs
        }
        #expect(runs == (0..<16).map { ($0 << 16)..<(($0 + 1) << 16) })
    }

    @Test("short answers leave a debt, and the next request waits for it")
    func short() throws {
        let pace = try #require(SendingPace(SendingLimits(client: 10_000), clock: self.clock))
        let connection = try self.connection(pace, size: 20_000)
        let request = Array(RawClient.request("/a").utf8)
        try connection.receive(request)
        #expect(try connection.sent().count > 20_000)
        try connection.receive(request)
        self.advance(connection, milliseconds: 1_999)
        #expect(try connection.sent().isEmpty)
        self.advance(connection, milliseconds: 1)
        #expect(try connection.sent().count > 20_000)
    }

    @Test("a new client gets turns beside the clients that are being sent to")
    func newcomer() throws {
        let pace = try #require(SendingPace(SendingLimits(all: 256 << 10), clock: self.clock))
        let long = try (0..<2).map { _ in try self.connection(pace, size: 8 << 20) }
        for connection in long { try connection.receive(Array(RawClient.request("/a").utf8)) }
        let newcomer = try self.connection(pace, size: 1_000)
        try newcomer.receive(Array(RawClient.request("/a").utf8))
        var isAnswered = false
        for _ in 0..<100 where !isAnswered {
            self.clock.advance(by: .milliseconds(50))
            for connection in long {
                connection.advance(milliseconds: 50)
                _ = try connection.sentPieces()
            }
            newcomer.advance(milliseconds: 50)
            isAnswered = try !newcomer.sent().isEmpty
        }
        #expect(isAnswered)
    }

    @Test("the burst of a client is one turn, however many connections it opens")
    func burst() throws {
        let pace = try #require(SendingPace(SendingLimits(client: 256 << 10), clock: self.clock))
        let connections = try (0..<20).map { _ in try self.connection(pace, size: 1 << 20) }
        func sent() throws -> Int {
            try connections.map { try $0.sentPieces().runs.reduce(0) { $0 + $1.count } }
                .reduce(0, +)
        }
        for connection in connections {
            try connection.receive(Array(RawClient.request("/a").utf8))
        }
        #expect(try sent() == 64 << 10)
        for _ in 0..<20 {
            self.clock.advance(by: .milliseconds(250))
            // The alarm runs on the event loop of the first connection.
            for connection in connections { connection.advance(milliseconds: 250) }
            #expect(try sent() == 64 << 10)
        }
    }

    @Test("clients take turns; an IPv6 network (/64) is one client with any number of connections")
    func clients() throws {
        let pace = try #require(SendingPace(SendingLimits(all: 256 << 10), clock: self.clock))
        func client(_ high: UInt64, _ low: Int) -> ClientAddress {
            ClientAddress(ipv6: (high, UInt64(low)))
        }
        let greedy = try (0..<20).map {
            try self.connection(pace, size: 8 << 20, from: client(0x20, $0))
        }
        for connection in greedy { try connection.receive(Array(RawClient.request("/a").utf8)) }
        let modest = try self.connection(pace, size: 1 << 20, from: client(0x21, 1))
        try modest.receive(Array(RawClient.request("/a").utf8))
        var sent = (0, 0)
        for _ in 0..<16 {
            self.clock.advance(by: .milliseconds(250))
            for connection in greedy {
                connection.advance(milliseconds: 250)
                sent.0 += try connection.sentPieces().runs.reduce(0) { $0 + $1.count }
            }
            modest.advance(milliseconds: 250)
            sent.1 += try modest.sentPieces().runs.reduce(0) { $0 + $1.count }
        }
        // The first of these turns was sent before the clock moved.
        #expect(sent.1 == 8 << 16, "\(sent)")
        #expect(sent.0 == 9 << 16, "\(sent)")
    }

    @Test("a client that leaves while it waits takes no turn from others")
    func leaves() throws {
        let pace = try #require(SendingPace(SendingLimits(all: 64 << 10), clock: self.clock))
        let loop = EmbeddedEventLoop()
        let granted = Mutex<[UInt32]>([])
        func ask(_ client: UInt32, _ bytes: Int64) -> (turn: TurnQueue.Turn, limit: ProxyLimit?) {
            pace.ask(
                for: bytes,
                by: ClientAddress(ipv4: client).id,
                on: ConnectionSlots.ConnectionID(rawValue: UInt64(client)),
                loop
            ) { granted.withLock { $0.append(client) } }
        }
        #expect(ask(1, 64 << 10).limit == nil)
        let leaving = ask(2, 64 << 10)
        #expect(leaving.limit == .rate && ask(3, 1_000).limit == .rate)
        #expect(pace.left(leaving.turn))
        self.clock.advance(by: .seconds(1))
        loop.advanceTime(by: .seconds(1))
        #expect(granted.withLock { $0 } == [3])
    }

    @Test("a client that returns still has its debt, and clients without a debt are forgotten")
    func debts() throws {
        let pace = try #require(SendingPace(SendingLimits(client: 1_000), clock: self.clock))
        var connection: EmbeddedConnection? = try self.connection(pace, size: 60_000)
        let request = Array(RawClient.request("/a").utf8)
        try connection?.receive(request)
        #expect(try connection?.sent().isEmpty == false)
        connection = nil
        for number in 1..<5_000 as Range<UInt32> {
            let client = ClientAddress(ipv4: number).id
            let loop = EmbeddedEventLoop()
            let id = ConnectionSlots.ConnectionID(rawValue: UInt64(number))
            #expect(pace.ask(for: 1, by: client, on: id, loop, goOn: {}).limit == nil)
            self.clock.advance(by: .milliseconds(1))
        }
        #expect(pace.clientCount <= 2_048)
        let again = try self.connection(pace, size: 60_000)
        try again.receive(request)
        #expect(try again.sent().isEmpty)
        self.advance(again, milliseconds: 56_000)
        #expect(try !again.sent().isEmpty)
    }

    @Test("a turn is 64 KiB, or the bytes of a hundredth of a second")
    func turns() throws {
        for (rate, turn) in [(1, 65_536), (6_553_600, 65_536), (100_000_000, 1_000_000)] {
            let limits = SendingLimits(client: nil, all: Int64(rate))
            let pace = try #require(SendingPace(limits, clock: self.clock))
            #expect(pace.turnSize == Int64(turn))
        }
    }

    @Test("without a limit, no pace applies")
    func none() {
        #expect(SendingPace(SendingLimits()) == nil)
    }
}
