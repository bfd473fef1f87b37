// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirPlayback
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A sink with a limit")
struct LimitedSinkTests {
    /// Records the frames that it gets and counts its drains.
    private final class NotingSink: AudioSink {
        let frames = Mutex<[Float]>([])
        let drains = Mutex(0)

        var isPaced: Bool { false }
        var delay: Duration { .zero }
        func open(_ format: PCMFormat) async throws -> PCMFormat { format }
        func write(_ buffer: PCMBuffer) async throws {
            self.frames.withLock { $0 += buffer.samples }
        }
        func drain() async throws { self.drains.withLock { $0 += 1 } }
        func pause() {}
        func resume() {}
        func discard() {}
        func close() async {}
    }

    private let format = PCMFormat(sampleRate: 1000, channelCount: 2)

    private func buffer(_ frames: Range<Int>) -> PCMBuffer {
        PCMBuffer(format: self.format, samples: frames.flatMap { [Float($0), Float($0)] })
    }

    @Test("lets exactly the limit's frames through, and signals when they are heard")
    func limit() async throws {
        let sink = NotingSink()
        let limited = LimitedSink(sink, length: .milliseconds(25))
        _ = try await limited.open(self.format)
        try await limited.write(self.buffer(0..<10))
        try await limited.write(self.buffer(10..<20))
        #expect(sink.drains.withLock { $0 } == 0)
        let writing = Task { try await limited.write(self.buffer(20..<30)) }
        try await limited.reached.wait(after: 0)
        #expect(sink.frames.withLock { $0.count } == 50)
        #expect(sink.frames.withLock { $0.last } == 24)
        #expect(sink.drains.withLock { $0 } == 1)
        // A write behind the limit waits until its task is cancelled.
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
    }

    @Test("reaches a limit between two buffers with the first of them")
    func even() async throws {
        let sink = NotingSink()
        let limited = LimitedSink(sink, length: .milliseconds(10))
        _ = try await limited.open(self.format)
        let writing = Task { try await limited.write(self.buffer(0..<10)) }
        try await limited.reached.wait(after: 0)
        #expect(sink.frames.withLock { $0.count } == 20)
        writing.cancel()
        _ = try? await writing.value
    }
}
