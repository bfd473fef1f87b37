// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirPlayback
import WeirTestKit

/// Keeps all sound that is written, at the pace of another sink.
final class CollectingSink: AudioSink {
    struct Kept: Sendable {
        var samples: [Int16] = []
        var formats: [PCMFormat] = []
        var opens = 0
        var closes = 0
        var failure: AudioError?
    }

    private let pace: any AudioSink
    private let isClocked: Bool
    private let opening: @Sendable () async throws -> Void
    let kept = Mutex(Kept())

    /// - Parameters:
    ///   - pace: the sink that sets the pace; `nil` to accept sound at once.
    ///   - opening: is called at each opening.
    init(
        pace: (any AudioSink)? = nil,
        opening: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.opening = opening
        self.pace = pace ?? NullSink()
        self.isClocked = pace != nil
    }

    var isPaced: Bool { self.isClocked }
    var delay: Duration { self.isClocked ? self.pace.delay : .zero }

    func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.kept.withLock { $0.opens += 1 }
        try await self.opening()
        self.kept.withLock { $0.formats.append(format) }
        return format
    }

    func write(_ buffer: PCMBuffer) async throws {
        try Task.checkCancellation()
        if let failure = self.kept.withLock({ kept in
            defer { kept.failure = nil }
            return kept.failure
        }) {
            throw failure
        }
        if self.isClocked { try await self.pace.write(buffer) }
        self.kept.withLock { kept in
            kept.samples += buffer.samples.map { Int16(($0 * 32768).rounded(.toNearestOrEven)) }
        }
    }

    func drain() async throws { if self.isClocked { try await self.pace.drain() } }
    func pause() { if self.isClocked { self.pace.pause() } }
    func resume() { if self.isClocked { self.pace.resume() } }
    func discard() { if self.isClocked { self.pace.discard() } }

    func close() async {
        self.kept.withLock { $0.closes += 1 }
        if self.isClocked { await self.pace.close() }
    }

    /// The next write throws this error.
    func fail(_ error: AudioError) { self.kept.withLock { $0.failure = error } }

    var opens: Int { self.kept.withLock { $0.opens } }
    var samples: [Int16] { self.kept.withLock { $0.samples } }
    var frameCount: Int { self.kept.withLock { $0.samples.count } }
}
