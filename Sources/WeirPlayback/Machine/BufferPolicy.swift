// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How much sound the player gathers before playback begins, and before it continues after an underrun.
///
/// One second at first, and two after an underrun. The target doubles, up to eight, when the next underrun comes within
/// half a minute. It halves for each minute without an underrun, but not below two.
struct BufferPolicy: Hashable, Sendable {
    /// Before the first sound, in seconds.
    var start: Double = 1
    /// After the first underrun, in seconds.
    var resume: Double = 2
    /// The maximum, in seconds.
    var most: Double = 8

    private var current: Double?
    private var lastDry: Duration?

    /// No gathering: the sink takes sound as soon as it arrives.
    static var immediate: BufferPolicy {
        BufferPolicy(start: 0, resume: 0, most: 0)
    }

    init(start: Double = 1, resume: Double = 2, most: Double = 8) {
        self.start = start
        self.resume = resume
        self.most = most
    }

    /// How much sound is gathered before playback continues, in seconds.
    var target: Double { self.current ?? self.start }

    /// Records an underrun.
    ///
    /// - Parameter now: the time since a fixed moment.
    mutating func ranDry(at now: Duration) {
        guard let last = self.lastDry, let current = self.current else {
            self.current = self.resume
            self.lastDry = now
            return
        }
        let quiet = now - last
        if quiet <= .seconds(30) {
            self.current = min(self.most, max(self.resume, current * 2))
        } else {
            var target = current
            var minutes = quiet.components.seconds / 60
            while minutes > 0, target > self.resume {
                target = max(self.resume, target / 2)
                minutes -= 1
            }
            self.current = target
        }
        self.lastDry = now
    }
}
