// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The generation that readers now get; the warm path reads it under a lock.
final class CurrentGeneration: Sendable {
    private struct State {
        var generation: Generation?
        /// The origin's last directives for using the generation.
        var directives: CacheDirectives?
        /// Whether the origin's last response denied the resource, and the policy refuses it in
        /// that case.
        var isRefused = false
        /// The last confirmed generation, and the time since the confirmation.
        var confirmed: (GenerationID, Stopwatch)?
        /// The time since the origin last failed to answer.
        var unanswered: Stopwatch?
    }

    private let state = Mutex(State())
    private let listeners = Broadcast<Availability>(capacity: 1)

    /// The generation; `nil`, and released, after it was removed, evicted or superseded.
    var generation: Generation? {
        let (generation, gone) = self.state.withLock { state -> (Generation?, Generation?) in
            guard let generation = state.generation else { return (nil, nil) }
            if generation.isCurrent { return (generation, nil) }
            state.generation = nil
            return (nil, generation)
        }
        // Its memory is freed outside the lock.
        withExtendedLifetime(gone) {}
        return generation
    }

    /// Whether this object still has a generation, even if lookups no longer find that generation.
    func holds(_ generation: Generation) -> Bool {
        self.state.withLock { $0.generation === generation }
    }

    func set(_ generation: Generation?) {
        let former = self.state.withLock { state in
            // If the same generation was opened again, its directives stay.
            if generation == nil || state.generation?.id != generation?.id {
                state.directives = generation?.description.cacheDirectives
                state.isRefused = false
            }
            defer { state.generation = generation }
            return state.generation
        }
        withExtendedLifetime(former) {}
        self.announce()
    }

    /// Notes that the origin has confirmed the generation as current.
    func confirm(_ watch: Stopwatch) {
        self.state.withLock { state in
            state.confirmed = state.generation.map { ($0.id, watch) }
            state.unanswered = nil
            state.isRefused = false
        }
    }

    /// Notes the cache directives of an origin's response.
    func learned(_ directives: CacheDirectives?) {
        self.state.withLock { $0.directives = directives }
    }

    /// Notes that the origin denied the resource, so that none of its bytes may be handed out.
    func refuse() {
        self.state.withLock { $0.isRefused = true }
    }

    /// When the origin must confirm the generation.
    func revalidation(by policy: LoadPolicy) -> Revalidation {
        policy.revalidation(heeding: self.state.withLock { $0.directives })
    }

    /// Whether the time of the origin's last confirmation is known.
    var isConfirmed: Bool {
        self.state.withLock { state in
            state.generation != nil && state.confirmed?.0 == state.generation?.id
        }
    }

    /// How long ago the origin confirmed the generation; `nil` if unknown.
    var timeSinceConfirmation: Duration? {
        let confirmed = self.state.withLock { state in
            state.confirmed?.0 == state.generation?.id ? state.confirmed?.1 : nil
        }
        return confirmed?.elapsed
    }

    /// Notes that the origin gave no answer.
    func noAnswer(_ watch: Stopwatch) {
        self.state.withLock { $0.unanswered = watch }
    }

    /// Whether the origin recently failed to answer.
    ///
    /// Readers then do not wait for another try.
    var isLeftAlone: Bool { self.state.withLock { Self.isLeftAlone($0) } }

    private static func isLeftAlone(_ state: State) -> Bool {
        state.unanswered.map { $0.elapsed < Revalidation.pause } ?? false
    }

    /// Whether the generation can be handed out without asking the origin first.
    func isFresh(by policy: LoadPolicy) -> Bool {
        if policy.isImmutable, policy.immutableSince == nil { return true }
        return self.state.withLock { state in
            if let since = policy.immutableSince {
                if Self.confirmationTime(state).map({ $0 >= since }) ?? false { return true }
                // Bytes without a validator cannot be compared with those of the origin.
                if state.generation?.description.validator == nil {
                    return Self.isLeftAlone(state)
                }
            }
            let revalidation = policy.revalidation(heeding: state.directives)
            if revalidation != .never, state.isRefused { return false }
            if Self.isLeftAlone(state) { return true }
            switch revalidation {
            case .never: return true
            case .always: return state.generation.map { $0.description.validator == nil } ?? false
            case .after(let time):
                guard let generation = state.generation else { return false }
                guard let (id, watch) = state.confirmed, id == generation.id else {
                    return generation.description.validator == nil
                }
                return watch.elapsed < time || generation.description.validator == nil
            }
        }
    }

    /// When the origin confirmed the generation, in seconds since 1970; `nil` if that is not known.
    private static func confirmationTime(_ state: State) -> Int64? {
        guard let (id, watch) = state.confirmed, id == state.generation?.id else { return nil }
        return Int64((Date().timeIntervalSince1970 - watch.seconds).rounded(.down))
    }

    /// Whether a reader at or past the end of the generation can be answered without asking the
    /// origin.
    ///
    /// The origin may have more bytes by now.
    func isFreshAtEnd(by policy: LoadPolicy) -> Bool {
        guard !policy.isImmutable else { return true }
        return self.state.withLock { state in
            guard policy.revalidation(heeding: state.directives) != .never else { return true }
            return state.unanswered.map { $0.elapsed < Revalidation.pause } ?? false
        }
    }

    var availability: Availability {
        guard let generation = self.generation else {
            return Availability(held: RangeSet(), length: nil)
        }
        return Availability(held: generation.held, length: generation.description.length)
    }

    /// Reports the cached bytes to the listeners, if there are any.
    func announce() {
        if self.listeners.hasListeners { self.listeners.tell(self.availability) }
    }

    /// The availability now, and after each change; a slow listener gets the newest only.
    func changes() -> AsyncStream<Availability> {
        let availability = self.availability
        let stream = self.listeners.stream(startingWith: availability)
        // A change that happened before the listener was added is announced again.
        if self.availability != availability { self.announce() }
        return stream
    }
}
