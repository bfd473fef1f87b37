// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

/// What was learned of a medium while it was read, for the next time that it is: one for each item of a player.
final class ItemMemory: Sendable {
    private let learned = Mutex<(pin: ReadDemand.Pin, frames: LearnedFrames)?>(nil)

    /// What was learned of a version; `nil` if that is another, or nothing was.
    func frames(of pin: ReadDemand.Pin) -> LearnedFrames? {
        self.learned.withLock { $0?.pin == pin ? $0?.frames : nil }
    }

    /// Keeps what was learned, unless more is known: a reading that was given up may end after the next has begun.
    func keep(_ frames: LearnedFrames, of pin: ReadDemand.Pin) {
        self.learned.withLock { learned in
            if let known = learned, known.pin == pin,
                known.frames.countedEnd > frames.countedEnd
            {
                return
            }
            learned = (pin, frames)
        }
    }
}
