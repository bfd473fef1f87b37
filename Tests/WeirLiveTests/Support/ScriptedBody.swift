// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A body that follows a script.
final class ScriptedBody: StationBody {
    private struct State {
        var steps: [ScriptedAnswer.Step]
        var isCancelled = false
        /// When the present broadcast started.
        var broadcastStart: Duration?
    }

    private let state: Mutex<State>
    private let timeline: Timeline
    private let cancelled: @Sendable () -> Void

    init(
        _ steps: [ScriptedAnswer.Step],
        timeline: Timeline,
        cancelled: @escaping @Sendable () -> Void
    ) {
        self.state = Mutex(State(steps: steps))
        self.timeline = timeline
        self.cancelled = cancelled
    }

    func cancel() {
        let isFirst = self.state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        if isFirst { self.cancelled() }
    }

    func next() async throws -> ByteMemory? {
        while true {
            try Task.checkCancellation()
            let step = self.state.withLock { $0.isCancelled ? nil : $0.steps.first }
            guard let step else {
                if self.state.withLock({ $0.isCancelled }) { throw CancellationError() }
                return nil
            }
            switch step {
            case .bytes(let bytes):
                self.advance()
                return ByteMemory(bytes)
            case .wait(let duration):
                try await self.timeline.sleep(duration)
                self.advance()
            case .fails(let error): throw error
            case .hangs: try await self.timeline.sleep(.seconds(1_000_000))
            case .radio(let duration, let count):
                if let bytes = try await self.broadcast(for: duration, count) { return bytes }
            }
        }
    }

    private func broadcast(for duration: Duration?, _ count: Int) async throws -> ByteMemory? {
        let now = self.timeline.elapsed()
        let start = self.state.withLock { state in
            state.broadcastStart = state.broadcastStart ?? now
            return state.broadcastStart ?? now
        }
        let portion = NumberedFrames.duration * count
        if let duration, now + portion - start > duration {
            self.state.withLock { $0.broadcastStart = nil }
            self.advance()
            return nil
        }
        try await self.timeline.sleep(portion)
        let first = Int(now / NumberedFrames.duration)
        return ByteMemory(NumberedFrames.frames(first..<first + count))
    }

    private func advance() {
        self.state.withLock { if !$0.steps.isEmpty { $0.steps.removeFirst() } }
    }
}
