// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Converts the times of packets, which each section of a chained stream counts anew, into the item's own time.
struct ItemTimeline {
    /// What is heard of the sections before.
    private(set) var passed: Duration = .zero
    private var section: Int?
    private var sampleRate = 1
    /// The first sample of the section that is heard when all is; `nil` before its first packet.
    private(set) var origin: SampleCount?
    /// Where the section's last packet ended.
    private(set) var end: SampleCount = 0
    /// Whether there was no packet of any section yet.
    private(set) var isUnused = true

    /// Packets that follow are of this format.
    mutating func began(_ format: AudioFormat) {
        if self.section != format.section {
            self.passed = self.endTime
            self.origin = nil
        }
        self.section = format.section
        self.sampleRate = max(1, format.sampleRate)
    }

    /// The first packet of a section.
    mutating func begins(with first: AudioPacket, _ format: AudioFormat) {
        let origin = first.start + max(first.trimStart, format.trim?.leading ?? 0)
        self.origin = origin
        self.end = origin
        self.isUnused = false
    }

    /// The reading goes on at a sample of the section.
    mutating func jumped(to start: SampleCount) {
        self.end = max(self.end, start)
    }

    /// A packet was read.
    mutating func passed(_ packet: AudioPacket) {
        // The padding of an encoder may be longer than its last packet: the sound has ended within one before.
        guard packet.trimEnd < packet.duration else { return }
        self.end = packet.start + packet.duration - packet.trimEnd
    }

    /// When the last packet ended.
    var endTime: Duration { self.origin == nil ? self.passed : self.time(of: self.end) }

    /// When a sample of the section is heard.
    func time(of sample: SampleCount) -> Duration {
        let distance = sample - (self.origin ?? 0)
        let seconds = max(0, distance.seconds(sampleRate: self.sampleRate))
        // Sections that claim more than any sound lasts are not to overflow when there are many.
        return self.passed + .seconds(min(seconds, 0x1p40))
    }

    /// The sample of the section that is heard at a time; one that is never reached where the time is too far.
    func sample(at time: Duration) -> SampleCount {
        let (seconds, attoseconds) = (time - self.passed).components
        let distance = SampleCount(
            seconds: Double(seconds) + Double(attoseconds) / 1e18,
            sampleRate: self.sampleRate
        )
        return (self.origin ?? 0) + (distance ?? SampleCount(.max))
    }
}
