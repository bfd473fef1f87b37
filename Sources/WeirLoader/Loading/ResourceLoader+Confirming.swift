// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A question to the origin whether the resource is unchanged, and the calls that wait for the
    /// answer.
    struct Confirmation {
        /// Sends the question; cancelled when the loader is closed.
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Whether one call has waited long enough; then no other call waits.
        var isLate = false
    }

    /// Asks the origin whether the cached bytes are current, if the policy wants that.
    ///
    /// All callers share one question at a time. If the answer takes longer than the policy's
    /// patience, or the origin is unreachable, the cached bytes are used. A later answer still
    /// counts.
    ///
    /// For a reader that starts at the end, the origin is asked even soon after a confirmation, to
    /// notice a file that has grown. A longer file is another version.
    ///
    /// - Parameter range: the range of the next read, if any. If its first byte is not held, this
    ///   function does not ask: the response with that byte gives the same answer.
    /// - Throws: the origin's refusal, if the policy forbids the use of a denied resource.
    func confirm(before range: RequestedRange?) async throws {
        guard !self.isClosed else { return }
        if self.refusal == nil, let generation = self.current.generation, generation.isCurrent,
            self.isFresh(generation, for: range)
        {
            return
        }
        self.adopt()
        defer { self.settle() }
        guard let generation, !self.startsInHole(range, of: generation),
            self.refusal != nil || !self.isFresh(generation, for: range)
        else { return }
        let description = generation.description
        let isAtEnd = Self.startsAtEnd(range, of: generation)
        // A resource without a validator is known by its length alone, so ask only for a reader at
        // its end.
        if description.validator == nil, self.policy.immutableSince != nil, !isAtEnd {
            // They may be of another version, and nothing can tell.
            return self.change(
                SourceError(
                    .changed,
                    "The resource may have changed; play it again to get the new one."
                )
            )
        }
        guard description.validator != nil || isAtEnd else { return }
        if self.confirmation == nil { self.ask(description.version) }
        self.lastWaiter += 1
        let id = self.lastWaiter
        var patience = self.current.revalidation(by: self.policy).patience
        if isAtEnd { patience = max(patience, Revalidation.patienceAtEnd) }
        // Owned by this call, which cancels it; ends when the patience is over.
        let timer = Task { [clock] in
            guard (try? await clock.sleep(for: patience)) != nil else { return }
            self.grewLate()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A cancellation before this line finds no continuation; this check sees it.
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
        if let refusal { throw refusal }
    }

    private func isFresh(_ generation: Generation, for range: RequestedRange?) -> Bool {
        guard Self.startsAtEnd(range, of: generation) else {
            return self.current.isFresh(by: self.policy)
        }
        // A player may look for the end while the first response arrives. The origin has just
        // stated the length then, so do not ask again.
        if !self.fetches.isEmpty, let time = self.current.timeSinceConfirmation,
            time < Revalidation.pauseAtEnd
        {
            return true
        }
        return self.current.isFreshAtEnd(by: self.policy)
    }

    /// Whether a non-empty range starts at the end of the resource, or behind it.
    private static func startsAtEnd(_ range: RequestedRange?, of generation: Generation) -> Bool {
        guard let length = generation.description.length, let range, !range.isEmpty,
            let start = range.knownLowerBound
        else { return false }
        return start >= length
    }

    private func startsInHole(_ range: RequestedRange?, of generation: Generation) -> Bool {
        guard let length = generation.description.length,
            let wanted = range?.resolved(inLength: length), !wanted.isEmpty
        else { return false }
        return !generation.holds(wanted.lowerBound..<wanted.lowerBound + 1)
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

    private func ask(_ version: ReadDemand.Version) {
        var confirmation = Confirmation()
        let asked = self.generation?.id
        // A lingering fetch ends when another request wants its connection; this question must not
        // end it.
        for fetch in self.fetches.values { fetch.reading?.reclaim() }
        // Owned by the loader, which asks one question at a time; ends with the origin's answer or
        // its time-outs, or when the loader is closed.
        confirmation.task = Task {
            do {
                self.answered(try await self.origin.isUnchanged(version), of: asked)
            } catch {
                self.denied(error as? SourceError)
                self.answered(nil, of: asked)
            }
        }
        self.confirmation = confirmation
    }

    /// Notes that the origin has confirmed the generation as current.
    func confirmed() {
        self.refusal = nil
        self.current.confirm(Stopwatch(self.clock))
        self.generation?.confirm()
    }

    /// Handles an error of the origin while bytes are held.
    ///
    /// If the origin denies the resource, reports that to the user. The policy decides whether the
    /// held bytes are served or refused.
    func denied(_ error: SourceError?) {
        guard let error, error.deniesResource, let generation, generation.heldByteCount > 0,
            self.current.revalidation(by: self.policy) != .never, !self.policy.isImmutable
        else { return }
        // Without a validator, Weir asks again only at the end of the resource, so a refusal could
        // last for ever.
        let isRefused =
            generation.description.validator != nil
            && self.policy.whenGone?.refuses(error) ?? false
        if isRefused {
            self.refusal = error
            self.current.refuse()
        }
        guard !self.hasToldRefusal else { return }
        self.hasToldRefusal = true
        self.observer?(
            .refusedThoughHeld(
                resource: self.key.display,
                id: self.key.identifier,
                reason: error.message,
                isServed: !isRefused
            )
        )
    }

    private func answered(_ isUnchanged: Bool?, of asked: GenerationID?) {
        let waiters = self.confirmation?.waiters ?? [:]
        self.confirmation = nil
        switch isUnchanged {
        // The generation was removed in the meantime; the answer does not apply to the present one.
        case _ where self.generation?.id != asked: break
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
