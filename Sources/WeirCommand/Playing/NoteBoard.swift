// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where lines about how it goes are shown: on standard error, until somebody else takes them.
final class NoteBoard: Sendable {
    private let reader = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Shows a line.
    func note(_ line: String) {
        // Outside of the lock: the reader may take one of its own.
        let reader = self.reader.withLock { $0 }
        if let reader { reader(line) } else { Output.note(line) }
    }

    /// Has the lines shown elsewhere; `nil`: on standard error.
    func read(by reader: (@Sendable (String) -> Void)?) {
        self.reader.withLock { $0 = reader }
    }
}
