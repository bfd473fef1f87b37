// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Synchronization
import Testing
import WeirPlayback
import WeirTestKit

@testable import WeirALSA

/// Uses ALSA plug-ins that need no hardware: `null` accepts all samples at once, and `file` writes
/// them to a file.
@Suite(.timeLimit(.minutes(1))) struct ALSASinkTests {
    static let format = PCMFormat(sampleRate: 44_100, channelCount: 2)

    private func ramp(_ frameCount: Int, from start: Int = 0) -> PCMBuffer {
        PCMBuffer(
            format: Self.format,
            samples: (start * 2..<(start + frameCount) * 2).map { Float($0 % 1000) / 1000 }
        )
    }

    @Test("a missing device is unavailable, and the error says what to do")
    func missingDevice() async {
        let sink = ALSASink(device: "no-such-device")
        let error = await #expect(throws: AudioError.self) { try await sink.open(Self.format) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("aplay -L") == true)
        #expect(error?.message.contains("weir play --sink null") == true)
        await sink.close()
    }

    @Test("a write before the sink is open is refused")
    func closedSinkRefuses() async {
        let sink = ALSASink(device: "null")
        let error = await #expect(throws: AudioError.self) {
            try await sink.write(self.ramp(10))
        }
        #expect(error?.code == .failed)
        #expect(sink.delay == .zero)
    }

    @Test("a device that accepts everything at once has no delay and drains at once")
    func nullDevice() async throws {
        let sink = ALSASink(device: "null")
        #expect(try await sink.open(Self.format) == Self.format)
        for index in 0..<100 { try await sink.write(self.ramp(4410, from: index)) }
        try await sink.drain()
        #expect(sink.delay == .zero)
        sink.discard()
        sink.pause()
        sink.resume()
        try await sink.write(self.ramp(10))
        try await sink.drain()
        await sink.close()
    }

    @Test("the device gets each sample once and in order")
    func samplesArriveInOrder() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "sound.raw")
        let sink = ALSASink(device: "file:'\(path)',raw")
        #expect(try await sink.open(Self.format) == Self.format)
        var expected: [Float] = []
        for index in 0..<20 {
            let buffer = self.ramp(1000 + index, from: index * 7)
            expected += buffer.samples
            try await sink.write(buffer)
        }
        try await sink.drain()
        await sink.close()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let isSame = samples == expected
        #expect(isSame)
    }

    @Test("the device gets samples at the volume, from the first one on")
    func volume() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "sound.raw")
        let sink = ALSASink(device: "file:'\(path)',raw")
        sink.setGain(0.5)
        #expect(sink.gain == 0.5)
        _ = try await sink.open(Self.format)
        let buffer = self.ramp(3000)
        try await sink.write(buffer)
        try await sink.drain()
        #expect(sink.gain == 0.5)
        sink.setGain(1)
        try await sink.write(buffer)
        try await sink.drain()
        #expect(sink.gain == 1)
        await sink.close()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(samples.count == 12_000)
        let isHalf = Array(samples.prefix(6000)) == buffer.samples.map { $0 * 0.5 }
        #expect(isHalf)
        // The change takes 30 ms, 1323 frames.
        let isWhole = Array(samples.suffix(3300)) == Array(buffer.samples.suffix(3300))
        #expect(isWhole)
        let isBetween = (6000..<6000 + 2 * 1323).allSatisfy { index in
            let sample = buffer.samples[index - 6000]
            return samples[index] >= 0.5 * sample && samples[index] <= sample
        }
        #expect(isBetween)
    }

    @Test("the device gets six channels in its own order")
    func channelsAreOrdered() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "sound.raw")
        let sink = ALSASink(device: "file:'\(path)',raw")
        let format = PCMFormat(sampleRate: 48_000, channelCount: 6)
        #expect(try await sink.open(format) == format)
        try await sink.write(PCMBuffer(format: format, samples: [1, 2, 3, 4, 5, 6]))
        try await sink.drain()
        await sink.close()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        // Left, right, rear left, rear right, centre, low frequencies.
        #expect(samples == [1, 2, 5, 6, 3, 4])
    }

    @Test("a write to a paused sink waits until a resume, a discard or a cancellation")
    func pausedSinkHolds() async throws {
        let sink = ALSASink(device: "null")
        _ = try await sink.open(Self.format)
        sink.pause()
        let buffer = self.ramp(100)
        let discarded = Task { try await sink.write(buffer) }
        while sink.delay == .zero { await Task.yield() }
        sink.discard()
        try await discarded.value
        let cancelled = Task { try await sink.write(buffer) }
        while sink.delay == .zero { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(sink.delay == .zero)
        let resumed = Task { try await sink.write(buffer) }
        while sink.delay == .zero { await Task.yield() }
        sink.resume()
        try await resumed.value
        await sink.close()
    }

    @Test("a sink can be closed though its device hangs, and opens again when the device responds")
    func hangingDevice() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // The reader does not read yet. A writer blocks when the pipe, which holds one page, is
        // full.
        let reader = Foundation.open(path, O_RDWR | O_NONBLOCK)
        let setPipeSize: CInt = 1031
        #expect(fcntl(reader, setPipeSize, 4096) == 4096)
        let sink = ALSASink(device: "file:'\(path)',raw", patience: .zero)
        _ = try await sink.open(Self.format)
        let writing = Task {
            for index in 0..<100 { try await sink.write(self.ramp(4410, from: index)) }
        }
        var available: CInt = 0
        while available < 4096 {
            try Task.checkCancellation()
            await Task.yield()
            _ = ioctl(reader, UInt(FIONREAD), &available)
        }
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
        await sink.close()
        #expect(sink.delay == .zero)
        let error = await #expect(throws: AudioError.self) { try await sink.write(self.ramp(10)) }
        #expect(error?.code == .failed)
        let isOpen = Mutex(false)
        let opening = Task {
            defer { isOpen.withLock { $0 = true } }
            return try await sink.open(Self.format)
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while !isOpen.withLock({ $0 }) {
            try Task.checkCancellation()
            _ = read(reader, &bytes, bytes.count)
            await Task.yield()
        }
        #expect(try await opening.value == Self.format)
        await sink.close()
        Foundation.close(reader)
    }

    @Test("another format opens the device again, and a closed sink can be opened again")
    func reopening() async throws {
        let sink = ALSASink(device: "null")
        _ = try await sink.open(Self.format)
        try await sink.write(self.ramp(100))
        let other = PCMFormat(sampleRate: 48_000, channelCount: 1)
        #expect(try await sink.open(other) == other)
        try await sink.write(.silence(other, frameCount: 100))
        await sink.close()
        await sink.close()
        #expect(try await sink.open(Self.format) == Self.format)
        await sink.close()
    }
}
#endif
