// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirPlayback

/// Shows playback to the user.
protocol PlayDisplay: Sendable {
    /// Whether the display redraws lines of a terminal in place, and the session reads keys.
    var isInteractive: Bool { get }

    /// Shows the output of the sound, before playback begins.
    func begin(_ sink: String)
    /// Shows an event; `stopper` is the reason why the player stopped, if not a key.
    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot, stoppedBy stopper: String?)
    func tell(_ event: RecordingEvent)
    /// Shows a line for a person.
    func note(_ line: String)

    /// Draws the current state, if it differs from the last drawing.
    func draw(_ snapshot: PlayerSnapshot)
    /// Shows or hides the help for the keys.
    func toggleHelp()
    /// Restores the terminal before the program is suspended, or exits at once.
    ///
    /// After a suspension, ``comeBack(_:)`` takes over the terminal again.
    func stepAside()
    /// Takes over the terminal again.
    func comeBack(_ snapshot: PlayerSnapshot)
    /// Restores the terminal.
    func end(_ snapshot: PlayerSnapshot)
}

/// Defaults for a display that does not use the terminal.
extension PlayDisplay {
    var isInteractive: Bool { false }
    func draw(_ snapshot: PlayerSnapshot) {}
    func toggleHelp() {}
    func stepAside() {}
    func comeBack(_ snapshot: PlayerSnapshot) {}
    func end(_ snapshot: PlayerSnapshot) {}
}

/// Shows lines about progress on standard error, or passes them to another target.
final class NoteRelay: Sendable {
    private let target = Mutex<(@Sendable (String) -> Void)?>(nil)

    func note(_ line: String) {
        // Call the target outside the lock, since it may take another lock.
        let target = self.target.withLock { $0 }
        if let target { target(line) } else { Output.note(line) }
    }

    /// Redirects the lines; `nil` means standard error.
    func redirect(to target: (@Sendable (String) -> Void)?) {
        self.target.withLock { $0 = target }
    }
}
