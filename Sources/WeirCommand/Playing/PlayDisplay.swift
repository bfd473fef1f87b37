// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirPlayback

/// Shows the user how playing goes.
protocol PlayDisplay: Sendable {
    /// Whether it takes the terminal: it is drawn over in place, and keys are read.
    var isInteractive: Bool { get }

    /// Says where the sound goes, before anything plays.
    func begin(_ sink: String)
    /// Tells an event; `stopper`: what has stopped the player, if not a key.
    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot, stoppedBy stopper: String?)
    func tell(_ event: RecordingEvent)
    /// Shows a line for a person.
    func note(_ line: String)

    /// Draws a moment, where it looks other than the last one.
    func draw(_ snapshot: PlayerSnapshot)
    /// Shows or hides the help of the keys.
    func toggleHelp()
    /// Gives the terminal back while the program is held, or ends at once; ``comeBack(_:)`` takes it again.
    func stepAside()
    /// Takes the terminal again.
    func comeBack(_ snapshot: PlayerSnapshot)
    /// Gives the terminal back.
    func end(_ snapshot: PlayerSnapshot)
}

/// A display that takes no terminal draws nothing.
extension PlayDisplay {
    var isInteractive: Bool { false }
    func draw(_ snapshot: PlayerSnapshot) {}
    func toggleHelp() {}
    func stepAside() {}
    func comeBack(_ snapshot: PlayerSnapshot) {}
    func end(_ snapshot: PlayerSnapshot) {}
}

/// Shows lines about how it goes: on standard error, or where they are redirected to.
final class NoteRelay: Sendable {
    private let target = Mutex<(@Sendable (String) -> Void)?>(nil)

    func note(_ line: String) {
        // Outside of the lock: the target may take one of its own.
        let target = self.target.withLock { $0 }
        if let target { target(line) } else { Output.note(line) }
    }

    /// Has the lines shown elsewhere; `nil`: on standard error.
    func redirect(to target: (@Sendable (String) -> Void)?) {
        self.target.withLock { $0 = target }
    }
}
