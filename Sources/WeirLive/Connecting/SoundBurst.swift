// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The last burst of sound from a server: until it has been heard, no more sound is due.
///
/// Pure. Some servers send 20 s of sound at once, and are then silent for 20 s. A server that sends
/// as fast as the sound is heard has almost no burst, however far it was ahead when the listener
/// joined.
struct SoundBurst: Hashable, Sendable {
    /// The most sound that counts as a burst: a server that is silent for longer is lost.
    static let longest = Duration.seconds(60)
    /// How long a server may pause within a burst.
    private static let pause = Duration.seconds(1)
    /// The lowest rate of a burst, in multiples of real time.
    private static let leastPace = 2

    private var start: Duration = .zero
    private var last: Duration = .zero
    private var sound: Duration = .zero

    /// Sound arrived.
    mutating func came(_ sound: Duration, now: Duration) {
        let isOver = now - self.last > Self.pause
        if isOver || self.sound + sound < (now - self.start) * Self.leastPace {
            self.start = now
            self.sound = .zero
        }
        self.sound += max(.zero, sound)
        self.last = now
    }

    /// When the whole burst has been heard, by a listener that hears it at once; `nil` before any
    /// sound.
    var end: Duration? {
        self.sound > .zero ? self.start + min(self.sound, Self.longest) : nil
    }
}
