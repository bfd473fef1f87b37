// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization
import Testing
import WeirLibav
import WeirPlayback
import WeirTestKit

/// A sink that keeps the player's samples unchanged.
final class PlayedSamples: AudioSink {
    struct Kept: Sendable {
        var samples: [Float] = []
        var formats: [PCMFormat] = []
    }

    private let kept = Mutex(Kept())

    var isPaced: Bool { false }
    var delay: Duration { .zero }
    var samples: [Float] { self.kept.withLock { $0.samples } }
    var formats: [PCMFormat] { self.kept.withLock { $0.formats } }

    /// Keeps the first format: the player converts samples in other formats.
    func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.kept.withLock { kept in
            kept.formats.append(format)
            return kept.formats[0]
        }
    }

    func write(_ buffer: PCMBuffer) async throws {
        self.kept.withLock { $0.samples += buffer.samples }
    }

    func drain() async throws {}
    func pause() {}
    func resume() {}
    func discard() {}
    func close() async {}

    /// Plays files one after the other, and returns the sink with the heard samples.
    static func of(_ files: [[UInt8]], from start: Duration = .zero) async throws -> PlayedSamples {
        let sink = PlayedSamples()
        let player = Player(decoders: [LibavDecoderFactory(), PCMDecoderFactory()], sink: sink)
        player.play(
            files.map {
                PlayerItem(MemorySource(bytes: $0), name: "file", start: start)
            }
        )
        let end = await player.waitUntilStopped()
        try #require(end.stopReason == .endOfStream, "\(end.failure?.message ?? "")")
        #expect(end.concealedPackets == 0)
        return sink
    }
}
#endif
