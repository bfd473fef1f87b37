// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirPlayback

/// Accepts sound at once, unless a test makes it fail.
final class ScriptedSink: AudioSink {
    private let opening: @Sendable (PCMFormat) throws -> Void
    private let writing: @Sendable (Int) throws -> Void
    private let counts = Mutex((opens: 0, writes: 0, closes: 0))

    /// - Parameters:
    ///   - opening: is called at each opening.
    ///   - writing: is called at each write, with its number from 0.
    init(
        opening: @escaping @Sendable (PCMFormat) throws -> Void = { _ in },
        writing: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
        self.opening = opening
        self.writing = writing
    }

    var opens: Int { self.counts.withLock { $0.opens } }
    var writes: Int { self.counts.withLock { $0.writes } }
    var closes: Int { self.counts.withLock { $0.closes } }

    var isPaced: Bool { false }
    var delay: Duration { .zero }

    func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.counts.withLock { $0.opens += 1 }
        try self.opening(format)
        return format
    }

    func write(_ buffer: PCMBuffer) async throws {
        try Task.checkCancellation()
        let number = self.counts.withLock { counts in
            defer { counts.writes += 1 }
            return counts.writes
        }
        try self.writing(number)
    }

    func drain() async throws {}
    func pause() {}
    func resume() {}
    func discard() {}
    func close() async { self.counts.withLock { $0.closes += 1 } }
}
