// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A question to the origin whether the resource is still what it was, and the calls that wait for the answer.
    struct Confirmation {
        /// Asks; cancelled when the loader is closed.
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Whether one call has waited long enough: no other need.
        var isLate = false
    }

    /// Makes sure that the cached bytes are the origin's, as far as the policy wants and the origin answers in
    /// time.
    ///
    /// One question at a time, for all callers. When it takes longer than the policy's patience, or the origin cannot
    /// be reached, the cached bytes are good enough; an answer that comes later counts then.
    ///
    /// A reader that starts at the end asks in any case, so that a file that grows is seen to have grown: the held length
    /// may be of an earlier moment, and a longer total is another version.
    ///
    /// - Parameter range: what is about to be read, if anything is. Nothing is asked where its first byte is not held:
    ///   the answer that brings the byte says as much.
    /// - Throws: what the origin said, where it was that the resource is not to be had, and the policy refuses it then.
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
        // What names no version is known by its length alone, which is what is asked about at the end.
        guard description.validator != nil || isAtEnd else { return }
        if self.confirmation == nil { self.ask(description.version) }
        self.lastWaiter += 1
        let id = self.lastWaiter
        // Owned by this call, which cancels it; ends with the time.
        var patience = self.current.revalidation(by: self.policy).patience
        if isAtEnd { patience = max(patience, Revalidation.patienceAtEnd) }
        let timer = Task { [clock] in
            guard (try? await clock.sleep(for: patience)) != nil else { return }
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
        if let refusal { throw refusal }
    }

    private func isFresh(_ generation: Generation, for range: RequestedRange?) -> Bool {
        guard Self.startsAtEnd(range, of: generation) else {
            return self.current.isFresh(by: self.policy)
        }
        // A player that looks for the end while the first answer comes asks about what was told just now.
        if !self.fetches.isEmpty, let time = self.current.timeSinceConfirmation,
            time < Revalidation.pauseAtEnd
        {
            return true
        }
        return self.current.isFreshAtEnd(by: self.policy)
    }

    /// Whether a range that has bytes starts where the resource ends, or behind it.
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
        // Owned by the loader, which asks one question at a time; ends with the origin's answer or its
        // time-outs, or when the loader is closed.
        let asked = self.generation?.id
        // The question does not take the line from a body of the resource that it asks about.
        for fetch in self.fetches.values { fetch.reading?.reclaim() }
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

    /// The origin has said that the generation is what it has.
    func confirmed() {
        self.refusal = nil
        self.current.confirm(Stopwatch(self.clock))
        self.generation?.confirm()
    }

    /// The origin gave an error where bytes are held: if it denies the resource the user hears of it, and the bytes are
    /// served or refused as the policy says.
    func denied(_ error: SourceError?) {
        guard let error, error.deniesResource, let generation, generation.heldByteCount > 0,
            self.current.revalidation(by: self.policy) != .never, !self.policy.isImmutable
        else { return }
        // What names no version is never asked about again, so that the refusal would have no end.
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
        // The generation was removed meanwhile: the answer says nothing of what is here now.
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
