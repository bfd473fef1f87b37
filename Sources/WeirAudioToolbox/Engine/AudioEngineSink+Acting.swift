// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import Dispatch
import Synchronization
import WeirPlayback

extension AudioEngineSink {
    /// Adds a voice, in a new engine if one is needed.
    ///
    /// - Returns: whether the voice was added; `false` if the engine has just failed and the caller must try again.
    func open(_ format: PCMFormat, _ voice: EngineVoice) async throws -> Bool {
        let (needsEngine, number, generation) = self.state.withLock {
            ($0.schedule.needsEngine, $0.engines + 1, $0.schedule.generation)
        }
        let fresh = needsEngine ? self.makeEngine(number) : nil
        if !needsEngine {
            do {
                try await self.wait(for: .anotherVoice(generation: generation))
            } catch is AudioError {
                return false
            }
        }
        var isAdded = false
        self.act { state in
            guard state.schedule.needsEngine == needsEngine else { return ([], []) }
            isAdded = true
            if let fresh {
                if let old = state.engine { self.queue.async { old.perform([.end], []) } }
                state.engine = fresh
                state.engines = number
                if state.schedule.isPaused { state.frozen = 0 }
            }
            let effects = state.schedule.opened(format)
            for case .add(let id, _) in effects { state.engine?.admit(voice, as: id) }
            return (effects, [])
        }
        return isAdded
    }

    /// Schedules samples, and returns the generation that they belong to.
    func hand(
        over samples: [Float],
        of format: PCMFormat,
        isMark: Bool
    ) throws(AudioError) -> UInt64 {
        var result: Result<UInt64, AudioError> = .success(0)
        self.act { state in
            guard let open = state.schedule.format, open.channelCount == format.channelCount,
                let written = state.schedule.wrote(
                    frames: samples.count / format.channelCount,
                    isMark: isMark
                )
            else {
                result = .failure(
                    state.schedule.failure
                        ?? AudioError(
                            .failed,
                            "Sound was written to a device that is not open for its format"
                        )
                )
                return ([], [])
            }
            if !isMark, let frozen = state.frozen {
                let frames = samples.count / format.channelCount
                state.frozen = frozen + Double(frames) / Double(format.sampleRate)
            }
            result = .success(written.token.generation)
            return (written.effects, samples)
        }
        return try result.get()
    }

    /// Makes an engine whose failure counts only while it is the current engine.
    private func makeEngine(_ number: UInt64) -> ScheduledEngine {
        ScheduledEngine(
            finished: { [weak self] token in
                self?.act { ($0.schedule.finished(token), []) }
            },
            failed: { [weak self] error in
                self?.act { state in
                    if state.engines == number { state.schedule.failed(error) }
                    return ([], [])
                }
            }
        )
    }

    /// Decides under the lock, has the engine act in the same order on its queue, and resumes the finished waits.
    func act(_ decide: (inout State) -> ([EngineSchedule.Effect], [Float])) {
        let due = self.state.withLock { state in
            let (effects, samples) = decide(&state)
            if !effects.isEmpty, let engine = state.engine {
                self.queue.async { engine.perform(effects, samples) }
            }
            var due: [(CheckedContinuation<Void, any Error>, EngineSchedule.Outcome)] = []
            state.waiters.removeAll { waiter in
                guard let outcome = state.schedule.outcome(of: waiter.wait) else { return false }
                due.append((waiter.continuation, outcome))
                return true
            }
            return due
        }
        for (continuation, outcome) in due { continuation.resume(with: outcome.result) }
    }

    /// Waits until the schedule reports the wait as finished.
    func wait(for wait: EngineSchedule.Wait) async throws {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task is marked as cancelled before its handlers run: either the handler below finds this
                // waiter, or this line sees the mark.
                let result = self.state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let outcome = state.schedule.outcome(of: wait) { return outcome.result }
                    state.waiters.append((id, wait, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = self.state.withLock { state in
                state.waiters.firstIndex(where: { $0.id == id })
                    .map { state.waiters.remove(at: $0).continuation }
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
#endif
