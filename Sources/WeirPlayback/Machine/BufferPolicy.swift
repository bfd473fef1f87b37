// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How much sound is gathered before it begins, and before it goes on after it ran dry.
///
/// One second at first. Two after a run dry; twice that, up to eight, when it ran dry again within half a minute; half
/// of it again for each minute without.
struct BufferPolicy: Hashable, Sendable {
    /// For the first sound, in seconds.
    var start: Double = 1
    /// After the first run dry, in seconds.
    var resume: Double = 2
    /// At most, in seconds.
    var most: Double = 8

    private var current: Double?
    private var lastDry: Duration?

    /// Nothing is waited for: the sink takes sound as it comes.
    static var immediate: BufferPolicy {
        BufferPolicy(start: 0, resume: 0, most: 0)
    }

    init(start: Double = 1, resume: Double = 2, most: Double = 8) {
        self.start = start
        self.resume = resume
        self.most = most
    }

    /// How much is gathered before the sound goes on, in seconds.
    var target: Double { self.current ?? self.start }

    /// The sound ran dry.
    ///
    /// - Parameter now: the time since some beginning, always the same.
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
