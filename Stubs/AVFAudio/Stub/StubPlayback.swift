// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The scheduled buffers of a stub device's player node, and its position.
final class StubPlayback {
    struct Item {
        var buffer: AVAudioPCMBuffer
        var type: AVAudioPlayerNodeCompletionCallbackType
        var handler: AVAudioPlayerNodeCompletionHandler?
        var isBegun = false
        /// The time of its first frame on the player's clock; nil until the buffer begins.
        var start: Int64?
    }

    let engine: ObjectIdentifier
    let format: AVAudioFormat
    var items: [Item] = []
    var isPlaying = false
    /// The player's clock at the last start.
    var base: Int64 = 0
    /// The host's time at the last start.
    var began: UInt64 = 0
    /// Whether the device has requested sound since the last start.
    var hasRendered = false
    /// The frame behind the last played buffer.
    var last: Int64 = 0

    init(_ engine: ObjectIdentifier, _ format: AVAudioFormat) {
        self.engine = engine
        self.format = format
    }

    /// The player's clock at a host time.
    func frame(at now: UInt64) -> Int64 {
        let passed = Double(now) - Double(self.began)
        return self.base + Int64((passed * self.format.sampleRate / 1e9).rounded())
    }

    /// The host time of a frame.
    func hostTime(of frame: Int64) -> UInt64 {
        let passed = Double(frame - self.base) * 1e9 / self.format.sampleRate
        return UInt64(max(0, (Double(self.began) + passed).rounded()))
    }

    /// Plays until a time, and returns the buffers that have begun and the buffers that have ended.
    func render(from: UInt64, to now: UInt64) -> (begun: [StubHeard], ended: [(Item, UInt64)]) {
        guard self.isPlaying else { return ([], []) }
        self.hasRendered = true
        let position = self.frame(at: now)
        var begun: [StubHeard] = []
        var ended: [(Item, UInt64)] = []
        while var item = self.items.first {
            // A buffer that came too late begins with the next requested sound.
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
