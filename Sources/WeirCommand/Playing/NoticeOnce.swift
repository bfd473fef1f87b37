// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that happens once and is told to whoever listens, whichever comes first.
final class NoticeOnce: Sendable {
    private struct State {
        var hasHappened = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// It has happened.
    func tell() {
        let listener = self.state.withLock { state in
            state.hasHappened = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?()
    }

    /// Is told when it happens; at once if it has.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        let hasHappened = self.state.withLock { state in
            if !state.hasHappened { state.listener = listener }
            return state.hasHappened
        }
        if hasHappened { listener() }
    }
}
