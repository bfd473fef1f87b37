// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirPlayback
import WeirSource
import WeirTestKit

/// The example of the article "Writing a sink".
@Suite("The sink of the article")
struct TapSinkTests {
    /// Plays a source to its end, and returns the samples that the sink received.
    private func samples(of source: any ByteSource) async throws -> [Float] {
        let samples = Mutex<[Float]>([])
        let sink = TapSink { buffer in samples.withLock { $0 += buffer.samples } }
        let player = Player(decoders: [PCMDecoderFactory()], sink: sink)
        player.play(source)
        for await now in player.snapshots() where now.state == .stopped {
            if let failure = now.failure { throw failure }
            break
        }
        return samples.withLock { $0 }
    }

    @Test("gets every sample, in order")
    func isGivenAll() async throws {
        let samples = WAVBytes.ramp(0..<50_000)
        let given = try await self.samples(of: MemorySource(bytes: WAVBytes.file(samples)))
        #expect(given.map { Int16(($0 * 32768).rounded()) } == samples)
    }

    @Test("ends the item with the error that its function throws")
    func fails() async throws {
        struct NoRoom: Error {}
        let sink = TapSink { _ in throw NoRoom() }
        let player = Player(decoders: [PCMDecoderFactory()], sink: sink)
        player.play(MemorySource(bytes: WAVBytes.file(WAVBytes.ramp(0..<50_000))))
        var failure: PlayerFailure?
        for await now in player.snapshots() where now.state == .stopped {
            failure = now.failure
            break
        }
        #expect(failure?.message.contains("handed on") == true)
    }
}
