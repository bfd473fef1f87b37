// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

/// Options whose pauses are exactly 0.25, 0.5, 1, 2 and 4 s.
let plainOptions = HTTPOrigin.Options(retry: RetryPolicy(jitter: { 0.5 }))

/// An origin over a scripted transport, at an address that does not exist.
func makeOrigin(
    _ url: String = "https://media.test/folder/song.mp3",
    transport: any HTTPTransport,
    options: HTTPOrigin.Options = plainOptions,
    clock: any Clock<Duration> = ManualClock(),
    log: EventLog? = nil
) throws -> HTTPOrigin {
    HTTPOrigin(
        url: try OriginURL(url),
        options: options,
        transport: transport,
        clock: clock,
        observer: log?.observer
    )
}

extension ByteReading {
    /// All bytes; the chunks must join without a gap.
    func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var position = self.lowerBound
        for try await chunk in self {
            #expect(chunk.range.lowerBound == position && !chunk.range.isEmpty)
            position = chunk.range.upperBound
            bytes += try chunk.bytes()
        }
        return bytes
    }
}

/// The `SourceError` that an operation throws; `nil` for another error, or without an error.
func sourceError(_ operation: () async throws -> Void) async -> SourceError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? SourceError
    }
}

extension ManualClock {
    /// Waits until the next sleeper's pause is exactly `pause`, and wakes the sleeper.
    func pass(_ pause: Duration) async throws {
        while self.remainingSleeps.first != pause {
            try Task.checkCancellation()
            await Task.yield()
        }
        self.advance(by: pause)
    }

    /// Passes several pauses, one after the other.
    func pass(_ pauses: [Duration]) async throws {
        for pause in pauses { try await self.pass(pause) }
    }
}
