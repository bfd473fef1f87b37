// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirProxy

@testable import WeirCommand

@Suite("The messages about players")
struct ServingLogTests {
    /// The lines that the log writes for these events in a row.
    private static func warnings(_ events: [ProxyEvent]) -> [String] {
        let lines = Collected()
        let log = ServingLog(isVerbose: false) { line in lines.add(line) }
        for event in events { log.told(event) }
        return lines.all
    }

    private final class Collected: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { self.lines.withLock { $0 } }
        func add(_ line: String) { self.lines.withLock { $0.append(line) } }
    }

    @Test("a refused program of another user is reported once, with the user's number")
    func refused() {
        let other = ProxyEvent.clientRefused(RefusedClient(user: 1001))
        let lines = Self.warnings([other, other, .clientRefused(RefusedClient(user: 1002))])
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix("warning: Weir refused a request of a program of the user 1001")
                == true
        )
    }

    @Test(
        "a client that left before its user was known is not reported, and does not count as the first"
    )
    func gone() {
        let gone = ProxyEvent.clientRefused(RefusedClient(user: nil))
        #expect(Self.warnings([gone]).isEmpty)
        #expect(Self.warnings([gone, .clientRefused(RefusedClient(user: 7))]).count == 1)
    }

    @Test("bytes that were already held are counted, also in part of an answer")
    func counts() {
        let log = ServingLog(isVerbose: false) { _ in }
        for (sent, held, status) in [(100, 100, 200), (100, 30, 206), (7, 7, 404), (0, 0, 304)] {
            var record = ProxyRequestRecord(
                method: "GET",
                target: "/a",
                range: nil,
                status: status,
                sentByteCount: Int64(sent),
                duration: .zero,
                isAborted: false
            )
            record.sentHeldByteCount = Int64(held)
            log.told(.requestFinished(record))
        }
        #expect(log.counts.requests == 4)
        #expect(log.counts.bytes == 200)
        #expect(log.counts.heldByteCount == 130)
    }

    @Test("a pause in accepting players is a warning")
    func paused() {
        #expect(
            Self.warnings([.acceptingPaused(reason: "No descriptor is left.")])
                == ["warning: No descriptor is left."]
        )
    }
}
