// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

@Suite("How fast clients are sent to")
struct SendingPaceTests {
    private static let other = ClientAddress(ipv4: 2)
    private let clock = ManualClock()

    private func connection(_ pace: SendingPace, size: Int) throws -> EmbeddedConnection {
        let bytes = PatternBytes.bytes(in: 0..<Int64(size))
        return try EmbeddedConnection(
            ["/a": ResidentSource(ScriptedResource(bytes: bytes))],
            pace: pace
        )
    }

    private func advance(_ connection: EmbeddedConnection, milliseconds: Int64) {
        self.clock.advance(by: .milliseconds(milliseconds))
        connection.advance(milliseconds: milliseconds)
    }

    @Test("a long answer comes at the rate, a short turn at a time, and every byte of it")
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

    @Test("what short answers owe, the next request waits for")
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

    @Test("a newcomer has its turn beside those that are being sent to")
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

    @Test("one client's debt is not another's, but all share the rate of all")
    func others() throws {
        let limits = SendingLimits(client: 1_000, all: 10_000)
        let pace = try #require(SendingPace(limits, clock: self.clock))
        let one = pace.pace(of: .unknown)
        #expect(one === pace.pace(of: .unknown))
        let two = pace.pace(of: Self.other)
        #expect(one.hold == nil)
        one.sent(2_000)
        #expect(try #require(one.hold) == (.seconds(2), .clientRate))
        #expect(try #require(two.hold) == (.milliseconds(200), .rate))
        self.clock.advance(by: .milliseconds(200))
        #expect(two.hold == nil)
    }

    @Test("a client that comes again still owes, and those that are over are forgotten")
    func debts() throws {
        let pace = try #require(SendingPace(SendingLimits(client: 1_000), clock: self.clock))
        let debtor = pace.pace(of: .unknown)
        debtor.sent(1_000_000)
        debtor.left()
        for number in 1..<10_000 as Range<UInt32> {
            pace.pace(of: ClientAddress(ipv4: number)).left()
        }
        #expect(pace.pace(of: .unknown) === debtor)
        #expect(pace.clientCount <= 1_024)
    }

    @Test("without a limit there is nothing")
    func none() {
        #expect(SendingPace(SendingLimits()) == nil)
    }
}
