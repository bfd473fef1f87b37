// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The facts about a stream of frames that another parser of the same stream can adopt.
///
/// They are the places of frames and the durations of parts, and take at most 70 KiB.
package struct LearnedFrames: Sendable {
    let container: AudioContainer
    let first: Bisection.Mark
    let tally: FrameTally
    /// The bit rate of all frames, in kbit/s; `nil` if they differ.
    let constantRate: Int?
    /// The parts of the stream, as far as a search has found them.
    var outline: MPEGOutline?

    /// The offset at which the frames that were counted without a gap end.
    package var countedEnd: Int64 { self.tally.endOffset }
}

extension AudioStreamParser {
    /// The facts learned so far; `nil` for formats that store their times.
    package var learned: LearnedFrames? { self.parser?.learned }

    /// Takes the facts that another parser has learned about the same bytes; has no effect after a
    /// jump.
    package mutating func adopt(_ learned: LearnedFrames) {
        self.parser?.adopt(learned)
    }

    /// Takes the measurements of a search in the same stream.
    package mutating func adopt(_ search: SeekSearch) {
        self.parser?.measured(search.stretches)
        if let outline = search.outline { self.parser?.mpeg?.learn(outline) }
    }

    /// Continues at a point that a search has found.
    package mutating func jump(to point: SeekPoint) {
        self.jump(to: point.offset, start: point.start)
        if point.precision == .exact { self.parser?.resumed() }
    }
}

extension AudioStreamParser {
    /// The duration of the stream, as far as known; `nil` for formats that do not consist of frames
    /// only.
    package var learnedDuration: AudioDuration? {
        self.parser?.mpeg?.reported?.duration ?? self.parser?.adts?.reported?.duration
    }
}

extension FoundParser {
    var learned: LearnedFrames? { self.mpeg?.learned ?? self.adts?.learned }

    mutating func adopt(_ learned: LearnedFrames) {
        self.mpeg?.adopt(learned)
        self.adts?.adopt(learned)
    }

    mutating func measured(_ stretches: [FrameStretch]) {
        for stretch in stretches {
            self.mpeg?.tally.note(stretch)
            self.adts?.tally.note(stretch)
        }
        guard !stretches.isEmpty else { return }
        self.mpeg?.reportLearned()
        self.adts?.reportLearned()
    }

    mutating func resumed() {
        self.mpeg?.resumed()
        self.adts?.tally.resumed()
    }
}

extension MPEGAudioParser {
    fileprivate var learned: LearnedFrames? {
        guard let opening = self.opening, self.section == 0 else { return nil }
        return LearnedFrames(
            container: .mpegAudio,
            first: opening,
            tally: self.tally,
            constantRate: self.constantRate,
            outline: self.outline
        )
    }

    fileprivate mutating func adopt(_ learned: LearnedFrames) {
        guard learned.container == .mpegAudio, learned.first == self.first, self.section == 0,
            !self.wasDiscontinued
        else { return }
        self.tally.adopt(learned.tally)
        if var outline = learned.outline, outline.parts.first?.tagRange == self.piece?.tagRange {
            outline.landing = nil
            self.outline = outline
        }
        if self.constantRate != learned.constantRate { self.constantRate = nil }
        self.nextReport = max(1, self.tally.frames)
        self.reportLearned()
    }
}

extension ADTSParser {
    fileprivate var learned: LearnedFrames? {
        guard let first = self.first, self.section == 0 else { return nil }
        return LearnedFrames(
            container: .adts,
            first: first,
            tally: self.tally,
            constantRate: nil
        )
    }

    fileprivate mutating func adopt(_ learned: LearnedFrames) {
        guard learned.container == .adts, learned.first == self.first, self.section == 0,
            !self.wasDiscontinued
        else { return }
        self.tally.adopt(learned.tally)
        self.nextReport = max(1, self.tally.frames)
        self.reportLearned()
    }
}

extension FrameParser {
    /// Reports the format again, with the new facts.
    fileprivate mutating func reportLearned() {
        if let header = self.sync.pattern { self.report(header) }
    }
}
