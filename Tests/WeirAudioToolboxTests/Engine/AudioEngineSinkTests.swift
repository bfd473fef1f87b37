// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFAudio
import Testing
import WeirPlayback
import WeirTestKit

@testable import WeirAudioToolbox

@Suite("An audio engine as a sink", .timeLimit(.minutes(1)))
struct AudioEngineSinkTests {
    private let cd = PCMFormat(sampleRate: 44_100, channelCount: 2)
    private let radio = PCMFormat(sampleRate: 24_000, channelCount: 1)

    /// A device, the number of buffers that it received, and a sink on it.
    private struct Scene {
        let device: StubAudioDevice
        let buffers = Watched(0)
        let sink = AudioEngineSink()

        init(latency: Double = 0) {
            self.device = StubAudioDevice(latency: latency) { [buffers] count in
                buffers.update { $0 = count }
            }
        }

        func open(_ format: PCMFormat) async throws {
            _ = try await StubAudioDevice.$current.withValue(self.device) {
                try await self.sink.open(format)
            }
            await self.sink.settle()
        }

        /// Advances time in steps of 10 ms; before each step the sink finishes its pending work.
        func pass(_ seconds: Double) async {
            for _ in 0..<Int((seconds / 0.01).rounded()) {
                await self.sink.settle()
                self.device.advance(by: 0.01)
            }
            await self.sink.settle()
        }
    }

    /// A buffer of `seconds`, with a value of its own for each channel.
    private func sound(_ format: PCMFormat, _ value: Float, seconds: Double = 0.1) -> PCMBuffer {
        let frames = Int(Double(format.sampleRate) * seconds)
        let samples = (0..<frames * format.channelCount).map {
            value + Float($0 % format.channelCount)
        }
        return PCMBuffer(format: format, samples: samples)
    }

    @Test("takes half a second of sound, and more after the engine has mixed some of it")
    func room() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        for index in 0..<4 { try await scene.sink.write(self.sound(self.cd, Float(index))) }
        let isWritten = Watched(false)
        let writing = Task {
            try await scene.sink.write(self.sound(self.cd, 4))
            isWritten.update { $0 = true }
        }
        try await scene.buffers.wait { $0 == 5 }
        await scene.pass(0.09)
        #expect(!isWritten.value)
        #expect(abs(scene.sink.delay / .seconds(1) - 0.41) < 0.001)
        await scene.pass(0.02)
        try await writing.value
        #expect(abs(scene.sink.delay / .seconds(1) - 0.39) < 0.001)
        await scene.pass(1)
        #expect(scene.device.heard.map { $0.first } == (0..<5).map { [Float($0), Float($0) + 1] })
        let isGapless = zip(scene.device.heard, scene.device.heard.dropFirst()).allSatisfy {
            $0.end.distance(to: $1.hostTime).magnitude < 30_000
        }
        #expect(isGapless)
        await scene.sink.close()
        #expect(scene.device.violations == [])
        #expect(scene.device.nodeCount == 0)
    }

    @Test(
        "in a chain of four formats each begins with the sample after the last of its predecessor"
    )
    func gapless() async throws {
        let scene = Scene()
        let formats = [
            self.cd, self.radio, PCMFormat(sampleRate: 48_000, channelCount: 6), self.cd,
        ]
        let writing = Task {
            for (index, format) in formats.enumerated() {
                try await scene.open(format)
                for _ in 0..<3 { try await scene.sink.write(self.sound(format, Float(index))) }
            }
            try await scene.sink.drain()
        }
        let isOver = Watched(false)
        let watching = Task {
            defer { isOver.update { $0 = true } }
            try await writing.value
        }
        while !isOver.value {
            // Time does not pass until the writer waits.
            while !scene.sink.isAwaited, !isOver.value { await Task.yield() }
            await scene.sink.settle()
            scene.device.advance(by: 0.01)
        }
        try await watching.value
        let heard = scene.device.heard
        #expect(heard.count == 13)
        #expect(heard.map(\.sampleRate).first == 44_100)
        let gaps = zip(heard, heard.dropFirst()).map { $0.end.distance(to: $1.hostTime).magnitude }
        #expect(gaps.prefix(11).allSatisfy { $0 < 50_000 }, "\(gaps)")
        #expect(scene.device.nodeCount == 1)
        #expect(scene.device.violations == [])
        #expect(scene.sink.delay == .zero)
    }

    @Test("a pause stops the sound and the delay, and loses nothing")
    func pause() async throws {
        let scene = Scene(latency: 0.05)
        try await scene.open(self.cd)
        for index in 0..<3 { try await scene.sink.write(self.sound(self.cd, Float(index))) }
        await scene.pass(0.15)
        scene.sink.pause()
        await scene.sink.settle()
        let before = scene.sink.delay
        #expect(abs(before / .seconds(1) - 0.2) < 0.001)
        await scene.pass(1)
        #expect(scene.sink.delay == before)
        try await scene.sink.write(self.sound(self.cd, 3))
        #expect(abs((scene.sink.delay - before) / .seconds(1) - 0.1) < 0.001)
        scene.sink.resume()
        await scene.sink.settle()
        #expect(abs((scene.sink.delay - before) / .seconds(1) - 0.1) < 0.001)
        await scene.pass(1)
        #expect(scene.device.heard.map { $0.first[0] } == [0, 1, 2, 3])
        #expect(scene.device.heard.last.map { $0.hostTime } == 1_000_000_000 + 1_300_000_000)
        #expect(scene.device.violations == [])
    }

    @Test("a pause stops the engine, also when nothing plays, and the engine runs again afterwards")
    func restingEngine() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        try await scene.sink.write(self.sound(self.cd, 1))
        await scene.pass(0.05)
        #expect(scene.device.runningCount == 1)
        scene.sink.pause()
        await scene.sink.settle()
        #expect(scene.device.runningCount == 0)
        scene.sink.resume()
        await scene.pass(0.2)
        #expect(scene.device.runningCount == 1)
        #expect(scene.sink.delay == .zero)
        scene.sink.pause()
        await scene.sink.settle()
        #expect(scene.device.runningCount == 0)
        scene.sink.resume()
        try await scene.sink.write(self.sound(self.cd, 2))
        await scene.pass(0.2)
        #expect(scene.device.heard.map { $0.first[0] } == [1, 2])
        #expect(scene.device.violations == [])
    }

    @Test("a device change between the engine's start and its first sound is reported")
    func changedBeforePlaying() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        scene.device.changeOnStart()
        // The sink reports the change with this write or with the next one.
        _ = try? await scene.sink.write(self.sound(self.cd, 1))
        await scene.sink.settle()
        let told = await #expect(throws: AudioError.self) {
            try await scene.sink.write(self.sound(self.cd, 1))
        }
        #expect(told?.code == .deviceChanged)
        #expect(scene.device.violations == [])
        try await scene.open(self.cd)
        try await scene.sink.write(self.sound(self.cd, 2))
        await scene.pass(0.2)
        #expect(scene.device.heard.map { $0.first[0] } == [2])
        #expect(scene.device.violations == [])
    }

    @Test("a drain lasts until the listener has heard the last frame")
    func drain() async throws {
        let scene = Scene(latency: 0.2)
        try await scene.open(self.radio)
        try await scene.sink.drain()
        try await scene.sink.write(self.sound(self.radio, 1))
        let isDrained = Watched(false)
        let draining = Task {
            try await scene.sink.drain()
            isDrained.update { $0 = true }
        }
        try await scene.buffers.wait { $0 == 2 }
        await scene.pass(0.29)
        #expect(!isDrained.value)
        #expect(scene.sink.delay > .zero)
        await scene.pass(0.05)
        try await draining.value
        #expect(scene.sink.delay == .zero)
    }

    @Test("a discard silences at once and ends a waiting write, and later sound is heard")
    func discard() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        let writing = Task { try await scene.sink.write(self.sound(self.cd, 1, seconds: 3)) }
        try await scene.buffers.wait { $0 == 5 }
        scene.sink.discard()
        try await writing.value
        #expect(scene.sink.delay == .zero)
        await scene.sink.settle()
        let count = scene.device.heard.count
        try await scene.sink.write(self.sound(self.cd, 7))
        await scene.pass(0.3)
        #expect(scene.device.heard.dropFirst(count).map { $0.first[0] } == [7])
        #expect(scene.device.violations == [])
    }

    @Test("a cancelled write and a cancelled drain end at once")
    func cancellation() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        let writing = Task { try await scene.sink.write(self.sound(self.cd, 1, seconds: 3)) }
        try await scene.buffers.wait { $0 == 5 }
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
        let draining = Task { try await scene.sink.drain() }
        try await scene.buffers.wait { $0 == 6 }
        draining.cancel()
        await #expect(throws: CancellationError.self) { try await draining.value }
    }

    @Test("a changed device ends the waits and fails the next write, and a new opening helps")
    func deviceChanged() async throws {
        let scene = Scene()
        try await scene.open(self.cd)
        let waiting = Task { try await scene.sink.write(self.sound(self.cd, 1, seconds: 3)) }
        try await scene.buffers.wait { $0 == 5 }
        scene.device.change()
        let told = await #expect(throws: AudioError.self) { try await waiting.value }
        #expect(told?.code == .deviceChanged)
        let again = await #expect(throws: AudioError.self) {
            try await scene.sink.write(self.sound(self.cd, 1))
        }
        #expect(again?.code == .deviceChanged)
        try await scene.open(self.cd)
        try await scene.sink.write(self.sound(self.cd, 9))
        await scene.pass(0.2)
        #expect(scene.device.heard.last?.first == [9, 10])
        #expect(scene.device.engineCount == 1)
        #expect(scene.device.violations == [])
    }

    @Test(
        "an engine that does not start is an error, and one that an interruption stopped is started again"
    )
    func starting() async throws {
        let scene = Scene()
        scene.device.refusesToStart = true
        try await scene.open(self.cd)
        _ = try? await scene.sink.write(self.sound(self.cd, 1))
        await scene.sink.settle()
        let error = await #expect(throws: AudioError.self) {
            try await scene.sink.write(self.sound(self.cd, 1))
        }
        #expect(error?.code == .unavailable)
        scene.device.refusesToStart = false
        try await scene.open(self.cd)
        try await scene.sink.write(self.sound(self.cd, 2))
        await scene.pass(0.05)
        scene.sink.pause()
        await scene.sink.settle()
        scene.device.interrupt()
        await scene.pass(1)
        scene.sink.resume()
        try await scene.sink.write(self.sound(self.cd, 3))
        await scene.pass(0.5)
        #expect(scene.device.heard.map { $0.first[0] } == [2, 3])
        #expect(scene.device.violations == [])
    }

    @Test(
        "formats that cannot be mixed are refused",
        arguments: [(0, 2), (44_100, 0), (44_100, 9), (2_000_000, 2), (-1, 1)]
    )
    func refused(_ rate: Int, _ channels: Int) async {
        let sink = AudioEngineSink()
        let error = await #expect(throws: AudioError.self) {
            _ = try await sink.open(PCMFormat(sampleRate: rate, channelCount: channels))
        }
        #expect(error?.code == .badFormat)
        let closed = await #expect(throws: AudioError.self) {
            try await sink.write(self.sound(self.cd, 1))
        }
        #expect(closed?.code == .failed)
    }

    @Test("every accepted number of channels reaches the mixer", arguments: 1...8)
    func channels(_ count: Int) async throws {
        let scene = Scene()
        let format = PCMFormat(sampleRate: 48_000, channelCount: count)
        try await scene.open(format)
        try await scene.sink.write(self.sound(format, 0))
        await scene.pass(0.02)
        #expect(scene.device.heard.first?.first == (0..<count).map { Float($0) })
        #expect(scene.device.violations == [])
    }
}
#endif
