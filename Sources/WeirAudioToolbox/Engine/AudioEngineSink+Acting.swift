// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import Dispatch
import Synchronization
import WeirPlayback

extension AudioEngineSink {
    /// Adds a voice, to another engine where one is needed.
    ///
    /// - Returns: whether it was added; not if the engine failed just now, and it is to be tried again.
    func open(_ format: PCMFormat, _ voice: EngineVoice) async throws -> Bool {
        let (needsEngine, number, generation) = self.state.withLock {
            ($0.schedule.needsEngine, $0.engines + 1, $0.schedule.generation)
        }
        let fresh = needsEngine ? EngineStudio(self.listener(number)) : nil
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
                if let old = state.studio { self.queue.async { old.perform([.end], []) } }
                state.studio = fresh
                state.engines = number
                if state.schedule.isPaused { state.frozen = 0 }
            }
            let effects = state.schedule.opened(format)
            for case .add(let id, _) in effects { state.studio?.admit(voice, as: id) }
            return (effects, [])
        }
        return isAdded
    }

    /// Schedules samples, and tells the generation that they belong to.
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

    /// What an engine tells, for as long as it is the one in use.
    func listener(_ number: UInt64) -> EngineStudio.Listener {
        EngineStudio.Listener(
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

    /// Decides under the lock, has the engine do it in the same order on its queue, and wakes who need wait no longer.
    func act(_ decide: (inout State) -> ([EngineSchedule.Effect], [Float])) {
        let due = self.state.withLock { state in
            let (effects, samples) = decide(&state)
            if !effects.isEmpty, let studio = state.studio {
                self.queue.async { studio.perform(effects, samples) }
            }
            var due: [(Waiter, EngineSchedule.Outcome)] = []
            state.waiters.removeAll { waiter in
                guard let outcome = state.schedule.outcome(of: waiter.wait) else { return false }
                due.append((waiter, outcome))
                return true
            }
            return due
        }
        for (waiter, outcome) in due {
            switch outcome {
            case .done: waiter.continuation.resume()
            case .failed(let error): waiter.continuation.resume(throwing: error)
            }
        }
    }

    /// Waits until the schedule says that it is over.
    func wait(for wait: EngineSchedule.Wait) async throws {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task is marked as cancelled before its handlers run: either the handler below finds this waiter,
                // or this sees the mark.
                let verdict = self.state.withLock { state -> Verdict? in
                    if Task.isCancelled { return .cancelled }
                    if let outcome = state.schedule.outcome(of: wait) { return .outcome(outcome) }
                    state.waiters.append(Waiter(id: id, wait: wait, continuation: continuation))
                    return nil
                }
                switch verdict {
                case nil: break
                case .outcome(.done): continuation.resume()
                case .outcome(.failed(let error)): continuation.resume(throwing: error)
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let left = self.state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            left?.continuation.resume(throwing: CancellationError())
        }
    }
}
#endif
