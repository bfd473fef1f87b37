// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirPlayback

/// Hands decoded sound to a function: to draw a waveform, to recognise speech, to send it on.
///
/// It takes sound as fast as the player decodes it. In a `PacedSink` it takes as long as the sound lasts.
final class TapSink: AudioSink {
    private let receive: @Sendable (PCMBuffer) throws -> Void
    private let format = Mutex<PCMFormat?>(nil)

    /// - Parameter receive: is called with one buffer after the other, all of one format. It may block: the player
    ///   waits for it. An error that it throws ends the item.
    init(_ receive: @escaping @Sendable (PCMBuffer) throws -> Void) {
        self.receive = receive
    }

    var isPaced: Bool { false }
    var delay: Duration { .zero }

    /// The first format stays until the sink is closed; the player converts every other to it.
    func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.format.withLock { kept in
            let format = kept ?? format
            kept = format
            return format
        }
    }

    func write(_ buffer: PCMBuffer) async throws {
        try Task.checkCancellation()
        do {
            try self.receive(buffer)
        } catch {
            throw AudioError(.failed, "The sound could not be handed on: \(error)")
        }
    }

    /// The sink buffers nothing, so there is nothing to wait for, to pause or to drop.
    func drain() async throws { try Task.checkCancellation() }
    func pause() {}
    func resume() {}
    func discard() {}

    func close() async { self.format.withLock { $0 = nil } }
}
