// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// The generation that readers get at this moment: what the warm path looks at, under a lock.
final class CurrentGeneration: Sendable {
    private struct State {
        var generation: Generation?
        /// What the origin last said of using the generation.
        var directives: CacheDirectives?
        /// Whether the origin last said that the resource is not to be had, and the policy refuses it then.
        var isRefused = false
        /// Since when the origin has not been asked about the generation, and which it was.
        var confirmed: (GenerationID, Stopwatch)?
        /// Since when the origin has not been asked again after it gave no answer.
        var unanswered: Stopwatch?
    }

    private let state = Mutex(State())
    private let listeners = Broadcast<Availability>(capacity: 1)

    /// The generation; `nil`, and let go of, if it was removed, evicted or superseded meanwhile.
    var generation: Generation? {
        let (generation, gone) = self.state.withLock { state -> (Generation?, Generation?) in
            guard let generation = state.generation else { return (nil, nil) }
            if generation.isCurrent { return (generation, nil) }
            state.generation = nil
            return (nil, generation)
        }
        // Its memory is given back outside of the lock.
        withExtendedLifetime(gone) {}
        return generation
    }

    /// Whether it is this one, current or not.
    func holds(_ generation: Generation) -> Bool {
        self.state.withLock { $0.generation === generation }
    }

    func set(_ generation: Generation?) {
        let former = self.state.withLock { state in
            // The same generation, opened again, is what it was.
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

    /// The origin has said that the generation is still what the resource is.
    func confirm(_ watch: Stopwatch) {
        self.state.withLock { state in
            state.confirmed = state.generation.map { ($0.id, watch) }
            state.unanswered = nil
            state.isRefused = false
        }
    }

    /// An answer of the origin came, which says this of using it.
    func learned(_ directives: CacheDirectives?) {
        self.state.withLock { $0.directives = directives }
    }

    /// The origin has said that the resource is not to be had, and nothing of it is to be handed out.
    func refuse() {
        self.state.withLock { $0.isRefused = true }
    }

    /// When the origin is asked about the generation.
    func revalidation(by policy: LoadPolicy) -> Revalidation {
        policy.revalidation(heeding: self.state.withLock { $0.directives })
    }

    /// Whether it is known when the origin said so of the generation.
    var isConfirmed: Bool {
        self.state.withLock { state in
            state.generation != nil && state.confirmed?.0 == state.generation?.id
        }
    }

    /// How long ago the origin said so of the generation; `nil` if that is not known.
    var timeSinceConfirmation: Duration? {
        let confirmed = self.state.withLock { state in
            state.confirmed?.0 == state.generation?.id ? state.confirmed?.1 : nil
        }
        return confirmed?.elapsed
    }

    /// The origin was asked and gave no answer.
    func noAnswer(_ watch: Stopwatch) {
        self.state.withLock { $0.unanswered = watch }
    }

    /// Whether the origin was asked just now and gave no answer: no reader waits for another try.
    var isLeftAlone: Bool { self.state.withLock { Self.isLeftAlone($0) } }

    private static func isLeftAlone(_ state: State) -> Bool {
        state.unanswered.map { $0.elapsed < Revalidation.pause } ?? false
    }

    /// Whether the generation can be handed out without asking the origin first.
    func isFresh(by policy: LoadPolicy) -> Bool {
        guard !policy.isImmutable else { return true }
        return self.state.withLock { state in
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

    /// Whether a reader that starts at the end of the generation, or behind it, can be told so without asking the origin,
    /// which may have more by now.
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

    /// Tells the listeners, if there are any, which bytes are cached now.
    func announce() {
        if self.listeners.hasListeners { self.listeners.tell(self.availability) }
    }

    /// The availability now, and again whenever it has changed; a slow listener gets the newest.
    func changes() -> AsyncStream<Availability> {
        let availability = self.availability
        let stream = self.listeners.stream(startingWith: availability)
        // What changed before the listener was added is announced again.
        if self.availability != availability { self.announce() }
        return stream
    }
}
