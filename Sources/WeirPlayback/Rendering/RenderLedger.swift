// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Something that is reported when a sample is heard.
enum RenderMark: Sendable {
    case item(QueuedItem)
    case title(PlayerTitle, sample: Int64)
    case format(AudioFormat, PCMFormat)
    case level(AudioLevel)
    case concealed(AudioError)
    case skipped(Duration)
}

/// Records what was written to the sink, so that marks are reported when their sample is heard.
///
/// Its time is that of the sound that was written since the sink was emptied last: it stands still when the sound does.
struct RenderLedger: Sendable {
    /// How many marks wait at most; the oldest goes first.
    static let capacity = 4096

    /// A mark, and at which position of its item its sample is.
    typealias Due = (mark: RenderMark, position: Duration)

    /// The marks that were not heard, from ``firstWaiting`` on, each with the ledger's time of its sample.
    private var waiting: [(time: Duration, due: Due)] = []
    private var firstWaiting = 0
    /// Where items begin in the ledger's time, and at which of their positions; the oldest first.
    private var starts: [(time: Duration, position: Duration, precision: PositionPrecision)] = []
    /// How much was written at earlier rates, and how many frames at this one.
    private var before: Duration = .zero
    private var frames: Int64 = 0
    private var sampleRate = 1

    /// How much was written.
    var written: Duration { self.before + Self.time(self.frames, self.sampleRate) }
    /// How much of it was heard when the sink was asked last; it never goes back.
    private(set) var heard: Duration = .zero
    /// What is heard now, from the item's beginning.
    private(set) var position: Duration = .zero
    /// How well the position is known.
    private(set) var precision = PositionPrecision.exact

    /// Frames are counted at this rate from now on.
    mutating func setRate(_ sampleRate: Int) {
        guard sampleRate != self.sampleRate else { return }
        self.before = self.written
        self.frames = 0
        self.sampleRate = max(1, sampleRate)
    }

    /// Frames were given to the sink.
    mutating func wrote(frameCount: Int) {
        self.frames += Int64(frameCount)
    }

    /// The next frame that is written is the one at this position of its item.
    mutating func begin(at position: Duration, _ precision: PositionPrecision = .exact) {
        let time = self.written
        self.starts.removeAll { $0.time >= time }
        self.starts.append((time: time, position: position, precision: precision))
        if self.heard >= time { (self.position, self.precision) = (position, precision) }
    }

    /// Time of the item has passed that nothing was written for; the next frame is so much later in it.
    mutating func skip(_ gap: Duration) {
        guard let start = self.starts.last else { return }
        let position = start.position + (self.written - start.time) + gap
        self.begin(at: max(.zero, position), start.precision)
    }

    /// A mark is to be reported when the next frame is heard.
    mutating func mark(_ mark: RenderMark) {
        if self.waiting.count - self.firstWaiting >= Self.capacity { self.firstWaiting += 1 }
        self.compact()
        // The item is the one that is written now: when the mark is heard, the next may have begun.
        let start = self.starts.last
        let position = start.map { $0.position + (self.written - $0.time) } ?? .zero
        self.waiting.append((time: self.written, due: (mark, position)))
    }

    /// The sink was asked how much it has left to play.
    ///
    /// - Parameter delay: what was written and not heard.
    /// - Returns: the marks that were reached since, in order.
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

    /// Removes the marks that were reported, when they are the larger part.
    private mutating func compact() {
        guard self.firstWaiting > 64, self.firstWaiting * 2 > self.waiting.count else { return }
        self.waiting.removeFirst(self.firstWaiting)
        self.firstWaiting = 0
    }

    /// The sound that was not heard was dropped; the next frame is at this position.
    mutating func restart(at position: Duration) {
        self = RenderLedger()
        self.starts = [(time: .zero, position: position, precision: .exact)]
        self.position = position
    }

    /// The time of a number of frames, without the rounding of a division of their sum.
    private static func time(_ frames: Int64, _ rate: Int) -> Duration {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
        return .seconds(seconds) + .seconds(rest) / rate
    }
}
