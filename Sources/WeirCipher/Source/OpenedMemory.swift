// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Remembers the generation that was opened last, and tells of it.
final class OpenedMemory: Sendable {
    private struct State {
        var last: OpenedResource?
        var lastNumber = 0
        var listeners: [Int: @Sendable (OpenedResource?) -> Void] = [:]
    }

    private let state = Mutex(State())

    /// What was opened last.
    var last: OpenedResource? {
        get { self.state.withLock { $0.last } }
        set {
            let listeners = self.state.withLock { state in
                state.last = newValue
                return Array(state.listeners.values)
            }
            for listener in listeners { listener(newValue) }
        }
    }

    /// Has a closure called whenever something has been opened, or must be opened anew.
    ///
    /// - Returns: what ``leave(_:)`` takes.
    func listen(_ listener: @escaping @Sendable (OpenedResource?) -> Void) -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
    }

    /// Ends the calls.
    func leave(_ number: Int) {
        self.state.withLock { $0.listeners[number] = nil }
    }
}
