// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// A fact that is reported when a sample is heard.
enum RenderMark: Sendable {
    case item(QueuedItem)
    case title(PlayerTitle, sample: Int64)
    case format(AudioFormat, PCMFormat)
    case level(AudioLevel)
    case concealed(AudioError)
    case skipped(Duration)
}

/// Records the written sound, so that marks are reported when their sample is heard.
///
/// The ledger's time is the duration of the sound written since the sink was last emptied. It
/// stands still when the sound stands still.
struct RenderLedger: Sendable {
    /// How many marks wait at most; the oldest is dropped first.
    static let capacity = 4096

    /// A mark, and the position of its sample in its item.
    typealias Due = (mark: RenderMark, position: Duration)

    /// The marks that were not heard yet, from ``firstWaiting`` on, each with the ledger's time of
    /// its sample.
    private var waiting: [(time: Duration, due: Due)] = []
    private var firstWaiting = 0
    /// Where items begin in the ledger's time, with their positions and precisions; the oldest
    /// first.
    private var starts: [(time: Duration, position: Duration, precision: PositionPrecision)] = []
    /// How much was written at earlier rates, and how many frames at the current rate.
    private var before: Duration = .zero
    private var frames: Int64 = 0
    private var sampleRate = 1

    /// How much was written.
    var written: Duration { self.before + Self.time(self.frames, self.sampleRate) }
    /// How much of it was heard at the last look at the sink; it never decreases.
    private(set) var heard: Duration = .zero
    /// The heard position from the item's beginning.
    private(set) var position: Duration = .zero
    /// The precision of the position.
    private(set) var precision = PositionPrecision.exact

    /// Frames are counted at this rate from now on.
    mutating func setRate(_ sampleRate: Int) {
        guard sampleRate != self.sampleRate else { return }
        self.before = self.written
        self.frames = 0
        self.sampleRate = max(1, sampleRate)
    }

    /// Records frames written to the sink.
    mutating func wrote(frameCount: Int) {
        self.frames += Int64(frameCount)
    }

    /// The next written frame has this position in its item.
    mutating func begin(at position: Duration, _ precision: PositionPrecision = .exact) {
        let time = self.written
        self.starts.removeAll { $0.time >= time }
        self.starts.append((time: time, position: position, precision: precision))
        if self.heard >= time { (self.position, self.precision) = (position, precision) }
    }

    /// The item's time has passed without written sound; the next frame is later in the item by the
    /// gap.
    mutating func skip(_ gap: Duration) {
        guard let start = self.starts.last else { return }
        let position = start.position + (self.written - start.time) + gap
        self.begin(at: max(.zero, position), start.precision)
    }

    /// Reports a mark when the next frame is heard.
    mutating func mark(_ mark: RenderMark) {
        if self.waiting.count - self.firstWaiting >= Self.capacity { self.firstWaiting += 1 }
        self.compact()
        // The position is in the item that is written now: when the mark is heard, a later item may
        // be written.
        let start = self.starts.last
        let position = start.map { $0.position + (self.written - $0.time) } ?? .zero
        self.waiting.append((time: self.written, due: (mark, position)))
    }

    /// Updates the heard sound from the sink's delay.
    ///
    /// - Parameter delay: how much written sound is not heard yet.
    /// - Returns: the marks reached since the last look, in order.
    mutating func advance(delay: Duration) -> [Due] {
        let written = self.written
        self.heard = max(self.heard, min(written, written - delay))
        while self.starts.count > 1, self.starts[1].time <= self.heard {
            self.starts.removeFirst()
        }
        if let start = self.starts.first, start.time <= self.heard {
            self.position = start.position + (self.heard - start.time)
            self.precision = start.precision
        }
        var due: [Due] = []
        while self.firstWaiting < self.waiting.count,
            self.waiting[self.firstWaiting].time <= self.heard
        {
            due.append(self.waiting[self.firstWaiting].due)
            self.firstWaiting += 1
        }
        self.compact()
        return due
    }

    /// Removes the reported marks, when they are the larger part.
    private mutating func compact() {
        guard self.firstWaiting > 64, self.firstWaiting * 2 > self.waiting.count else { return }
        self.waiting.removeFirst(self.firstWaiting)
        self.firstWaiting = 0
    }

    /// The unheard sound was dropped; the next frame has this position.
    mutating func restart(at position: Duration) {
        self = RenderLedger()
        self.starts = [(time: .zero, position: position, precision: .exact)]
        self.position = position
    }

    /// The time of a number of frames, without the rounding error of dividing their sum.
    private static func time(_ frames: Int64, _ rate: Int) -> Duration {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
        return .seconds(seconds) + .seconds(rest) / rate
    }
}
