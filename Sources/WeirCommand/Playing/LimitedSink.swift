// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirPlayback
import WeirSource

/// A sink that plays sound for a given time, exact to the sample, then raises a signal and blocks.
///
/// The time counts the written sound of all items, including sound that a seek drops.
final class LimitedSink: AudioSink {
    /// Raised when the wanted length has been played.
    let reached = Signal()
    private let sink: any AudioSink
    private let left: Mutex<Duration>

    init(_ sink: any AudioSink, length: Duration) {
        self.sink = sink
        self.left = Mutex(length)
    }

    var isPaced: Bool { self.sink.isPaced }
    var delay: Duration { self.sink.delay }
    var gain: Float? { self.sink.gain }

    func setGain(_ gain: Float) { self.sink.setGain(gain) }

    func open(_ format: PCMFormat) async throws -> PCMFormat {
        try await self.sink.open(format)
    }

    func write(_ buffer: PCMBuffer) async throws {
        let (count, isLast) = self.left.withLock { left -> (Int, Bool) in
            let rate = Double(max(1, buffer.format.sampleRate))
            let room = Int((left / .seconds(1) * rate).rounded())
            let count = max(0, min(room, buffer.frameCount))
            left -= .seconds(Double(count) / rate)
            return (count, count >= room)
        }
        if count == buffer.frameCount {
            try await self.sink.write(buffer)
        } else if count > 0 {
            let samples = Array(buffer.samples.prefix(count * buffer.format.channelCount))
            try await self.sink.write(PCMBuffer(format: buffer.format, samples: samples))
        }
        guard isLast else { return }
        try await self.sink.drain()
        self.reached.raise()
        // The player stops now, which cancels this call. Until then this sink must accept no more sound.
        try await Signal().wait(after: 0)
    }

    func drain() async throws { try await self.sink.drain() }
    func pause() { self.sink.pause() }
    func resume() { self.sink.resume() }
    func discard() { self.sink.discard() }
    func close() async { await self.sink.close() }
}
