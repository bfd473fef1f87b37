// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Converts packet times, which start again in each section of a chained stream, into the item's
/// own time.
struct ItemTimeline {
    /// The heard duration of the earlier sections.
    private(set) var passed: Duration = .zero
    private var section: Int?
    private var sampleRate = 1
    /// The section's first sample after trimming; `nil` before its first packet.
    private(set) var origin: SampleCount?
    /// The end of the section's last packet.
    private(set) var end: SampleCount = 0
    /// Whether no packet of any section has come yet.
    private(set) var isUnused = true

    /// The following packets have this format.
    mutating func began(_ format: AudioFormat) {
        if self.section != format.section {
            self.passed = self.endTime
            self.origin = nil
        }
        self.section = format.section
        self.sampleRate = max(1, format.sampleRate)
    }

    /// Records the first packet of a section.
    mutating func begins(with first: AudioPacket, _ format: AudioFormat) {
        let origin = first.start + max(first.trimStart, format.trim?.leading ?? 0)
        self.origin = origin
        self.end = origin
        self.isUnused = false
    }

    /// Reading continues at a sample of the section.
    mutating func jumped(to start: SampleCount) {
        self.end = max(self.end, start)
    }

    /// Records a packet.
    mutating func passed(_ packet: AudioPacket) {
        // An encoder's padding may be longer than its last packet: then the sound ended within an
        // earlier packet.
        guard packet.trimEnd < packet.duration else { return }
        self.end = packet.start + packet.duration - packet.trimEnd
    }

    /// The time at which the last packet ends.
    var endTime: Duration { self.origin == nil ? self.passed : self.time(of: self.end) }

    /// The time at which a sample of the section is heard.
    func time(of sample: SampleCount) -> Duration {
        let distance = sample - (self.origin ?? 0)
        let seconds = max(0, distance.seconds(sampleRate: self.sampleRate))
        // Clamped, so that many sections with absurd lengths do not overflow.
        return self.passed + .seconds(min(seconds, 0x1p40))
    }

    /// The sample of the section that is heard at a time; if the time is too large, a sample that
    /// is never reached.
    func sample(at time: Duration) -> SampleCount {
        let (seconds, attoseconds) = (time - self.passed).components
        let distance = SampleCount(
            seconds: Double(seconds) + Double(attoseconds) / 1e18,
            sampleRate: self.sampleRate
        )
        return (self.origin ?? 0) + (distance ?? SampleCount(.max))
    }
}
