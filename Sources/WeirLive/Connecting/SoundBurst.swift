// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The sound that a server sent last at a time: until it has been heard, the server owes no more.
///
/// Pure. Some servers send the sound of 20 s at once, and are silent then for as long. A server that sends as fast as the
/// sound is heard has a burst of hardly any sound, however far it was ahead when the listener came.
struct SoundBurst: Hashable, Sendable {
    /// How much sound counts of a burst: a server that is silent for longer is lost.
    static let longest = Duration.seconds(60)
    /// How long a server may pause within a burst.
    private static let pause = Duration.seconds(1)
    /// How many times faster than it is heard the sound of a burst comes.
    private static let leastPace = 2

    private var start: Duration = .zero
    private var last: Duration = .zero
    private var sound: Duration = .zero

    /// Sound came.
    mutating func came(_ sound: Duration, now: Duration) {
        let isOver = now - self.last > Self.pause
        if isOver || self.sound + sound < (now - self.start) * Self.leastPace {
            self.start = now
            self.sound = .zero
        }
        self.sound += max(.zero, sound)
        self.last = now
    }

    /// When all of it has been heard, by a listener that hears it at once; `nil` before any has come.
    var end: Duration? {
        self.sound > .zero ? self.start + min(self.sound, Self.longest) : nil
    }
}
