// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

/// The segments that the clients receive, as their sockets count them.
///
/// The kernel may send a response in more segments than usual, or repeat one. So a test that expects one segment takes
/// the fewest of several responses.
@Suite("A head before its body or with it", .timeLimit(.minutes(1)))
struct HeadSegmentTests {
    private static let length: Int64 = 600_000
    private static let attempts = 5
    /// The same bytes from a file with a descriptor, and from one whose bytes are made in memory.
    private static let sources: [String: any ByteSource] = [
        "/file": SparseSource(length: Self.length),
        "/made": CopiedSource(length: Self.length),
    ]

    /// Gets a range, and returns how many segments its response had.
    private static func segments(
        _ range: Range<Int>,
        of target: String,
        _ client: RawClient
    ) async throws -> Int {
        let before = try #require(try await client.dataSegmentCount())
        let response = try await client.get(
            target,
            ["Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
        )
        #expect(response.status == 206)
        #expect(response.body.count == range.count)
        let after = try #require(try await client.dataSegmentCount())
        return Int(after - before)
    }

    @Test("a client that is alone gets the head before the body of a file")
    func alone() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            var (first, small, made): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
            // The clients stay connected, so that no later one gets the socket of an earlier one.
            var clients: [RawClient] = []
            for _ in 0..<Self.attempts {
                let client = try await proxy.connect()
                clients.append(client)
                first.insert(try await Self.segments(0..<16_385, of: "/file", client))
                let second = try await Self.segments(16_384..<32_769, of: "/file", client)
                #expect(second >= 2)
                small.insert(try await Self.segments(0..<16_384, of: "/file", client))
                made.insert(try await Self.segments(0..<16_385, of: "/made", client))
            }
            #expect([first.min(), small.min(), made.min()] == [1, 1, 1])
        }
    }

    @Test("clients that take turns get the head together with the body")
    func turns() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            let clients = [try await proxy.connect(), try await proxy.connect()]
            var counts: [Set<Int>] = [[], []]
            for _ in 0..<Self.attempts {
                for (number, client) in clients.enumerated() {
                    let count = try await Self.segments(0..<16_385, of: "/file", client)
                    counts[number].insert(count)
                }
            }
            #expect(counts.map { $0.min() } == [1, 1])
            #expect(try await Self.segments(0..<16_385, of: "/file", clients[1]) >= 2)
        }
    }
}
#endif
