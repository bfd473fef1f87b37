// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A machine under a lock, whose effects are performed outside the lock: one at a time, in decision
/// order.
///
/// If no other caller is performing, the caller performs all effects, including those that are
/// decided meanwhile. Other callers return at once: an effect may be performed after the call that
/// decided it has returned. An effect may itself call ``decide(performing:_:)``.
///
/// The methods are inlinable: without that, other modules look for the generic types at each call,
/// which takes longer than the call itself.
@usableFromInline
package final class EffectQueue<State: Sendable, Effect: Sendable>: Sendable {
    @usableFromInline
    struct Guarded {
        @usableFromInline var state: State
        @usableFromInline var effects: [Effect] = []
        @usableFromInline var isPerforming = false

        @inlinable
        init(state: State) { self.state = state }

        /// Removes the next effect; with none left, the caller stops performing.
        @inlinable
        mutating func next() -> Effect? {
            guard !self.effects.isEmpty else {
                self.isPerforming = false
                return nil
            }
            return self.effects.removeFirst()
        }
    }

    @usableFromInline let guarded: Mutex<Guarded>

    /// A queue without effects.
    @inlinable
    package init(_ state: State) {
        self.guarded = Mutex(Guarded(state: state))
    }

    /// Reads the state, or changes it without an effect.
    @inlinable
    package func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        self.guarded.withLock { body(&$0.state) }
    }

    /// Lets the machine decide, and performs the effects unless another caller is performing.
    ///
    /// - Parameters:
    ///   - perform: performs one effect; called outside of the lock, never by two callers at a
    ///     time.
    ///   - event: changes the state and appends the resulting effects.
    /// - Returns: the result of `event`.
    @inlinable
    package func decide<Result: Sendable>(
        performing perform: (Effect) -> Void,
        _ event: (inout State, inout [Effect]) -> Result
    ) -> Result {
        let (result, isPerformer) = self.guarded.withLock { guarded -> (Result, Bool) in
            let result = event(&guarded.state, &guarded.effects)
            guard !guarded.isPerforming, !guarded.effects.isEmpty else { return (result, false) }
            guarded.isPerforming = true
            return (result, true)
        }
        guard isPerformer else { return result }
        while let effect = self.guarded.withLock({ $0.next() }) { perform(effect) }
        return result
    }
}
