// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing
import WeirPlayback
import WeirTestKit

@Suite(.timeLimit(.minutes(1))) struct RawSinkTests {
    static let format = PCMFormat(sampleRate: 8000, channelCount: 2)

    private func sound(_ frameCount: Int) -> PCMBuffer {
        PCMBuffer(
            format: Self.format,
            samples: (0..<frameCount * 2).map { Float($0 % 100) / 128 }
        )
    }

    /// Reads on a thread that may block, so that no read blocks one of the few threads of tasks.
    private func read(_ pipe: Pipe, count: Int = .max) async -> Data {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = try? pipe.fileHandleForReading.read(upToCount: count)
                continuation.resume(returning: data ?? Data())
            }
        }
    }

    @Test("the bytes of a pipe equal the data of a WAV file, in the bits of the first format")
    func bytesArrive() async throws {
        let pipe = Pipe()
        let sink = RawSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        #expect(try await sink.open(Self.format) == Self.format)
        let other = PCMFormat(sampleRate: 1, channelCount: 1, significantBits: 24)
        #expect(try await sink.open(other) == Self.format)
        // More than a pipe can buffer: the writes wait for the reader.
        async let read = self.read(pipe)
        var expected: [UInt8] = []
        for _ in 0..<10 {
            let buffer = self.sound(10_000)
            expected += PCMIntegers.bits16.bytes(of: buffer.samples)
            try await sink.write(buffer)
        }
        try await sink.drain()
        await sink.close()
        try pipe.fileHandleForWriting.close()
        let isSame = Array(await read) == expected
        #expect(isSame)
    }

    @Test("a reader that has left is an error, and does not end the program")
    func brokenPipe() async throws {
        let pipe = Pipe()
        let sink = RawSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        _ = try await sink.open(Self.format)
        try pipe.fileHandleForReading.close()
        for _ in 0..<2 {
            let error = await #expect(throws: AudioError.self) {
                try await sink.write(self.sound(10))
            }
            #expect(error?.code == .failed)
        }
    }

    @Test("cancellation and discarding end a write that waits for the reader")
    func waitingWrites() async throws {
        let pipe = Pipe()
        let sink = RawSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        _ = try await sink.open(Self.format)
        let big = self.sound(100_000)
        let cancelled = Task { try await sink.write(big) }
        // The first byte has arrived: the write has begun.
        #expect(await self.read(pipe, count: 1).count == 1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let started = Gate()
        let discarded = Task {
            started.open()
            try await sink.write(big)
        }
        try await started.wait()
        // This write waits behind the earlier one; a discard ends the wait at any time.
        let done = Watched(false)
        let discarding = Task {
            while !done.value {
                sink.discard()
                await Task.yield()
            }
        }
        try await discarded.value
        done.update { $0 = true }
        await discarding.value
        // A frame that a write has begun is written whole.
        async let read = self.read(pipe)
        try await sink.write(self.sound(1))
        try pipe.fileHandleForWriting.close()
        #expect((await read.count + 1).isMultiple(of: 4))
    }

    #if os(Linux)
    @Test("a full disk is an error that gives the reason")
    func fullDisk() async throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let sink = RawSink(descriptor: full.fileDescriptor)
        _ = try await sink.open(Self.format)
        let error = await #expect(throws: AudioError.self) { try await sink.write(self.sound(10)) }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("No space left") == true)
    }
    #endif

    @Test("a write before the sink is open is refused")
    func closedSink() async throws {
        let sink = RawSink(descriptor: -1)
        let closed = await #expect(throws: AudioError.self) { try await sink.write(self.sound(1)) }
        #expect(closed?.code == .failed)
        _ = try await sink.open(Self.format)
        let error = await #expect(throws: AudioError.self) { try await sink.write(self.sound(1)) }
        #expect(error?.code == .failed)
    }
}
