// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A question to the origin whether the resource is still what it was, and who waits for the answer.
    struct Confirmation {
        /// Asks; cancelled when the loader is closed.
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Whether somebody has waited long enough: nobody else need.
        var isLate = false
    }

    /// Makes sure that what is held is what the origin has, as far as the policy wants and the origin answers in
    /// time.
    ///
    /// One question at a time, whoever asks. When it takes longer than the policy's patience, or the origin cannot
    /// be reached, what is held is good enough; an answer that comes later counts then.
    func confirm() async {
        guard !self.isClosed else { return }
        if self.current.generation?.isCurrent == true, self.current.isFresh(by: self.policy) {
            return
        }
        self.adopt()
        defer { self.settle() }
        guard let description = self.generation?.description, description.validator != nil,
            !self.current.isFresh(by: self.policy)
        else { return }
        if self.confirmation == nil { self.ask(description.pin) }
        self.lastWaiter += 1
        let id = self.lastWaiter
        // Owned by this call, which cancels it; ends with the time.
        let timer = Task { [clock, policy] in
            guard (try? await clock.sleep(for: policy.revalidation.patience)) != nil else { return }
            self.grewLate()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A cancellation that came before this line finds no continuation; it is seen here.
                if Task.isCancelled || self.confirmation?.isLate != false {
                    continuation.resume()
                } else {
                    self.confirmation?.waiters[id] = continuation
                }
            }
        } onCancel: {
            // Owned by the waiting call, which it wakes; ends after one visit to the actor.
            Task { await self.endWait(id) }
        }
        timer.cancel()
    }

    private func grewLate() {
        self.confirmation?.isLate = true
        let waiters = self.confirmation?.waiters ?? [:]
        self.confirmation?.waiters = [:]
        for waiter in waiters.values { waiter.resume() }
    }

    private func endWait(_ id: Int) {
        self.confirmation?.waiters.removeValue(forKey: id)?.resume()
    }

    private func ask(_ pin: ReadDemand.Pin) {
        var confirmation = Confirmation()
        // Owned by the loader, which asks one question at a time; ends with the origin's answer or its
        // time-outs, or when the loader is closed.
        confirmation.task = Task {
            let isUnchanged = try? await self.origin.isUnchanged(pin)
            self.answered(isUnchanged)
        }
        self.confirmation = confirmation
    }

    /// The origin has said that the generation is what it has.
    func confirmed() {
        self.current.confirm(Stopwatch(self.clock))
        self.generation?.confirm()
    }

    private func answered(_ isUnchanged: Bool?) {
        let waiters = self.confirmation?.waiters ?? [:]
        self.confirmation = nil
        switch isUnchanged {
        case true?: self.confirmed()
        case nil: self.current.noAnswer(Stopwatch(self.clock))
        case false?:
            self.change(
                SourceError(
                    .changed,
                    "The resource changed at the origin while it was being read; play it again to get the new one."
                )
            )
        }
        for waiter in waiters.values { waiter.resume() }
        self.settle()
    }
}
