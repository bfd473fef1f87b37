// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// What is known of a file that may be several streams, one behind the other: joined FLAC files, a chain in Ogg.
struct LinkKnowledge {
    /// So many bytes are played before the end of a file is asked for that is played from its beginning.
    static let patience: Int64 = 256 << 10

    /// Whether the links were looked up.
    var isLooked = false
    /// Whether that was in vain.
    var isUnsure = false
    /// How long all links are heard, if there are several and that was found out.
    var whole: Duration?
    /// The format as it was told last.
    var told: AudioFormat?
}

extension AudioFormat {
    /// Whether headers tell of one of several streams that follow each other.
    fileprivate var isOfLink: Bool { self.container == .ogg || self.container == .flac }

    /// Whether a header tells the length of that one stream.
    fileprivate var hasTotal: Bool { self.isOfLink && self.codec == .flac }
}

extension MediaFeed {
    /// The format with the length of the whole file in place of that of a link.
    func formatOfWhole(_ format: AudioFormat) -> AudioFormat {
        guard format.isOfLink else { return format }
        var format = format
        let length = self.version?.length
        let isEnd = self.isAtEnd || length == self.parser.offset
        let hasEnded = format.duration?.certainty == .exact && length != nil && !isEnd
        defer { self.links.told = format }
        if let whole = self.links.whole {
            let isSure = self.item.precision == .exact && !self.links.isUnsure
            format.duration = AudioDuration(whole, isSure ? .declared : .estimated, format)
        } else if format.section > 0, isEnd {
            let own = format.duration.map { $0.samples.seconds(sampleRate: format.sampleRate) }
            let whole = own.map { self.timeline.passed + .seconds($0) } ?? self.timeline.endTime
            let isSure = self.item.precision == .exact && format.duration?.certainty != .estimated
            format.duration = AudioDuration(whole, isSure ? .declared : .estimated, format)
        } else if format.hasTotal, self.timeline.origin == nil, self.hasRanges {
            // What follows is looked up with the first packet.
            format.duration = nil
        } else if format.section > 0 || hasEnded || self.links.isUnsure {
            format.duration = self.estimate(format)
        }
        return format
    }

    /// The length by how long the bytes last up to here.
    private func estimate(_ format: AudioFormat) -> AudioDuration? {
        guard let length = self.version?.length, self.parser.offset > 0,
            self.timeline.endTime > .zero
        else { return nil }
        let seconds = self.timeline.endTime / .seconds(1)
        let share = Double(length) / Double(self.parser.offset)
        return AudioDuration(.seconds(min(seconds * share, 0x1p40)), .estimated, format)
    }

    /// The format with its duration, once it is found out which links follow the present one.
    ///
    /// Of Vorbis and Opus that are not here that is not asked before another link begins. Of FLAC, whose header tells a length
    /// that may be that of the first of several files, the end is looked at when the sound has begun, or before a seek.
    func formatByLinks() async -> AudioFormat? {
        guard let format = self.format, format.isOfLink, !self.links.isLooked,
            let length = self.version?.length, let map = self.parser.seekMap()
        else { return nil }
        guard self.hasRanges else {
            guard format.section == 0, map.seemsJoined else { return nil }
            self.links.isLooked = true
            self.links.isUnsure = true
            return self.retold(format)
        }
        let isHeld = self.held.run(containing: 0).map { $0.upperBound >= length } == true
        let isDue =
            format.hasTotal
            && (self.start > .zero || map.seemsJoined
                || self.parser.offset >= LinkKnowledge.patience)
        let isKnown = !format.hasTotal && format.duration != nil
        guard (isHeld && !isKnown) || isDue || format.section > 0, var search = map.linkOutline
        else {
            return self.retold(format)
        }
        self.links.isLooked = true
        while case .read(let range) = search.step {
            guard let bytes = try? await self.bytes(in: range) else { return nil }
            search.read(bytes)
        }
        guard let extent = search.linkExtent else {
            self.links.isUnsure = format.container == .flac
            return self.retold(format)
        }
        if format.section > 0 || extent.count > 1 {
            self.links.whole = self.timeline.passed + extent.heard
            self.links.isUnsure = !extent.isSure
        } else if format.duration == nil {
            let certainty: AudioDuration.Certainty = extent.isSure ? .declared : .estimated
            self.format?.duration = AudioDuration(extent.heard, certainty, format)
        }
        return self.retold(self.format ?? format)
    }

    /// The format, if it is another than was told last.
    func retold(_ format: AudioFormat) -> AudioFormat? {
        guard format.isOfLink else { return nil }
        let told = self.links.told
        let new = self.formatOfWhole(format)
        return new == told ? nil : new
    }
}

extension AudioDuration {
    fileprivate init?(_ duration: Duration, _ certainty: Certainty, _ format: AudioFormat) {
        let seconds = duration / .seconds(1)
        guard let samples = SampleCount(seconds: seconds, sampleRate: format.sampleRate) else {
            return nil
        }
        self.init(samples, certainty)
    }
}
