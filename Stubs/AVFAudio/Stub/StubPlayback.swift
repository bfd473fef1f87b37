// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player node of a stub device has to play, and how far it is.
final class StubPlayback {
    struct Item {
        var buffer: AVAudioPCMBuffer
        var type: AVAudioPlayerNodeCompletionCallbackType
        var handler: AVAudioPlayerNodeCompletionHandler?
        var isBegun = false
        /// Where on the player's clock its first frame is; nil until it is its turn.
        var start: Int64?
    }

    let engine: ObjectIdentifier
    let format: AVAudioFormat
    var items: [Item] = []
    var isPlaying = false
    /// Where the player's clock stood when it began to play last.
    var base: Int64 = 0
    /// When that was.
    var began: UInt64 = 0
    /// Whether the device has asked for sound since.
    var hasRendered = false
    /// The frame behind the last buffer that was played.
    var last: Int64 = 0

    init(_ engine: ObjectIdentifier, _ format: AVAudioFormat) {
        self.engine = engine
        self.format = format
    }

    /// The player's clock at a moment.
    func frame(at now: UInt64) -> Int64 {
        let passed = Double(now) - Double(self.began)
        return self.base + Int64((passed * self.format.sampleRate / 1e9).rounded())
    }

    /// When a frame is.
    func hostTime(of frame: Int64) -> UInt64 {
        let passed = Double(frame - self.base) * 1e9 / self.format.sampleRate
        return UInt64(max(0, (Double(self.began) + passed).rounded()))
    }

    /// Plays on, and tells what was begun and what ended.
    func render(from: UInt64, to now: UInt64) -> (begun: [StubHeard], ended: [(Item, UInt64)]) {
        guard self.isPlaying else { return ([], []) }
        self.hasRendered = true
        let position = self.frame(at: now)
        var begun: [StubHeard] = []
        var ended: [(Item, UInt64)] = []
        while var item = self.items.first {
            // A buffer that came too late begins with the next sound that is asked for.
            let start = item.start ?? max(self.last, self.frame(at: from), 0)
            guard start < position else { break }
            item.start = start
            if !item.isBegun {
                item.isBegun = true
                begun.append(self.heard(item.buffer, at: self.hostTime(of: start)))
            }
            let end = start + Int64(item.buffer.frameLength)
            self.items[0] = item
            guard end <= position else { break }
            self.last = end
            self.items.removeFirst()
            ended.append((item, self.hostTime(of: end)))
        }
        return (begun, ended)
    }

    private func heard(_ buffer: AVAudioPCMBuffer, at hostTime: UInt64) -> StubHeard {
        let channels = Int(self.format.channelCount)
        return StubHeard(
            hostTime: hostTime,
            frames: Int(buffer.frameLength),
            sampleRate: self.format.sampleRate,
            first: (0..<channels).map { buffer.floatChannelData?[$0][0] ?? 0 }
        )
    }
}
