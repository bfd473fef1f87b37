// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// The known facts about a file that may be several streams in a row: joined FLAC files, or a chain
/// in Ogg.
struct LinkKnowledge {
    /// How many bytes of a file are read from its beginning before the feed looks at its end.
    static let patience: Int64 = 256 << 10

    /// Whether the links were looked up.
    var isLooked = false
    /// Whether the lookup gave no certain result.
    var isUnsure = false
    /// The heard duration of all links, if there are several and it is known.
    var whole: Duration?
    /// The last format that was sent.
    var told: AudioFormat?
}

extension AudioFormat {
    /// Whether the headers describe only one of several streams in a row.
    fileprivate var isOfLink: Bool { self.container == .ogg || self.container == .flac }

    /// Whether a header contains the length of that one stream.
    fileprivate var hasTotal: Bool { self.isOfLink && self.codec == .flac }
}

extension MediaFeed {
    /// The format with the length of the whole file in place of the length of a link.
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
            // The first packet triggers the lookup of the following links.
            format.duration = nil
        } else if format.section > 0 || hasEnded || self.links.isUnsure {
            format.duration = self.estimate(format)
        }
        return format
    }

    /// An estimate of the length from the duration of the bytes so far.
    private func estimate(_ format: AudioFormat) -> AudioDuration? {
        guard let length = self.version?.length, self.parser.offset > 0,
            self.timeline.endTime > .zero
        else { return nil }
        let seconds = self.timeline.endTime / .seconds(1)
        let share = Double(length) / Double(self.parser.offset)
        return AudioDuration(.seconds(min(seconds * share, 0x1p40)), .estimated, format)
    }

    /// The format with its duration, once the links after the current one are known.
    ///
    /// In Vorbis and Opus that are not held, the feed does not look for links before another link
    /// begins. The length in a FLAC header may be the length of only the first of several joined
    /// files. So for FLAC the feed looks at the end of the file once the sound has begun, or before
    /// a seek.
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

    /// The format, if it differs from the last one that was sent.
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
