// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@testable import WeirAudioToolbox

@Suite("The commands to an audio engine")
struct EngineScheduleTests {
    private let cd = PCMFormat(sampleRate: 44_100, channelCount: 2)
    private let radio = PCMFormat(sampleRate: 24_000, channelCount: 1)
    private let broken = AudioError(.deviceChanged, "The device has changed")

    @Test("a buffer is scheduled, and its voice starts once, and rests when it has run dry")
    func dry() throws {
        var schedule = EngineSchedule()
        #expect(schedule.needsEngine)
        #expect(schedule.opened(self.cd) == [.add(voice: 1, self.cd)])
        #expect(!schedule.needsEngine)
        #expect(schedule.opened(self.cd) == [])
        let first = try schedule.write(frames: 4_410)
        #expect(first.effects == [.schedule(first.token), .start(voice: 1, after: nil)])
        let second = try schedule.write(frames: 4_410)
        #expect(second.effects == [.schedule(second.token)])
        #expect(schedule.outstanding == 0.2)
        #expect(schedule.finished(first.token) == [])
        #expect(schedule.finished(second.token) == [.rest(voice: 1)])
        #expect(schedule.outstanding == 0)
        let third = try schedule.write(frames: 1)
        #expect(third.effects == [.schedule(third.token), .start(voice: 1, after: nil)])
    }

    @Test("another format gets another voice, which begins when the earlier voice has ended")
    func formats() throws {
        var schedule = EngineSchedule()
        _ = schedule.opened(self.cd)
        let first = try schedule.write(frames: 4_410)
        #expect(schedule.opened(self.radio) == [.add(voice: 2, self.radio)])
        let second = try schedule.write(frames: 2_400)
        #expect(second.effects == [.schedule(second.token), .start(voice: 2, after: 1)])
        #expect(abs(schedule.outstanding - 0.2) < 1e-9)
        #expect(
            schedule.finished(first.token) == [.remove(voice: 1), .start(voice: 2, after: nil)]
        )
        #expect(schedule.finished(second.token) == [.rest(voice: 2)])
    }

    @Test("an idle voice makes room for the next at once")
    func emptyVoices() {
        var schedule = EngineSchedule()
        _ = schedule.opened(self.cd)
        #expect(schedule.opened(self.radio) == [.remove(voice: 1), .add(voice: 2, self.radio)])
        #expect(schedule.voices.count == 1)
    }

    @Test("a write with one format too many in half a second waits")
    func voiceLimit() throws {
        var schedule = EngineSchedule()
        var tokens: [EngineSchedule.Token] = []
        for index in 0..<EngineSchedule.voiceLimit {
            _ = schedule.opened(PCMFormat(sampleRate: 8_000 + index, channelCount: 1))
            tokens.append(try schedule.write(frames: 1).token)
        }
        let wait = EngineSchedule.Wait.anotherVoice(generation: schedule.generation)
        #expect(schedule.outcome(of: wait) == nil)
        _ = schedule.finished(tokens[0])
        #expect(schedule.outcome(of: wait) == .done)
    }

    @Test("half a second of sound fits, and a longer buffer goes alone")
    func room() throws {
        var schedule = EngineSchedule()
        _ = schedule.opened(self.cd)
        let tokens = try (0..<4).map { _ in try schedule.write(frames: 4_410).token }
        let generation = schedule.generation
        #expect(schedule.outcome(of: .room(0.1, generation: generation)) == .done)
        #expect(schedule.outcome(of: .room(0.11, generation: generation)) == nil)
        #expect(schedule.outcome(of: .room(3, generation: generation)) == nil)
        for token in tokens { _ = schedule.finished(token) }
        #expect(schedule.outcome(of: .room(3, generation: generation)) == .done)
    }

    @Test(
        "a pause holds the engine, and sound that is written meanwhile begins afterwards, in order"
    )
    func pause() throws {
        var schedule = EngineSchedule()
        #expect(schedule.paused() == [])
        _ = schedule.opened(self.cd)
        let first = try schedule.write(frames: 10)
        #expect(first.effects == [.schedule(first.token)])
        #expect(schedule.resumed() == [.start(voice: 1, after: nil)])
        #expect(schedule.resumed() == [])
        #expect(schedule.paused() == [.hold])
        #expect(schedule.paused() == [])
        _ = schedule.opened(self.radio)
        let second = try schedule.write(frames: 10)
        #expect(second.effects == [.schedule(second.token)])
        #expect(
            schedule.resumed() == [.start(voice: 1, after: nil), .start(voice: 2, after: 1)]
        )
    }

    @Test("a pause holds an open engine, though nothing plays in it")
    func pauseWithoutSound() throws {
        var schedule = EngineSchedule()
        _ = schedule.opened(self.cd)
        let written = try schedule.write(frames: 10)
        #expect(schedule.finished(written.token) == [.rest(voice: 1)])
        #expect(schedule.paused() == [.hold])
        #expect(schedule.resumed() == [])
        _ = schedule.closed()
        #expect(schedule.paused() == [])
    }

    @Test("a discard leaves one voice at rest, ends every wait, and ignores old buffers")
    func discard() throws {
        var schedule = EngineSchedule()
        #expect(schedule.discarded() == [])
        _ = schedule.opened(self.cd)
        let first = try schedule.write(frames: 44_100)
        _ = schedule.opened(self.radio)
        let second = try schedule.write(frames: 24_000)
        let wait = EngineSchedule.Wait.room(1, generation: schedule.generation)
        #expect(schedule.outcome(of: wait) == nil)
        #expect(schedule.discarded() == [.remove(voice: 1), .rest(voice: 2)])
        #expect(schedule.outcome(of: wait) == .done)
        #expect(!schedule.hasUnheard)
        let third = try schedule.write(frames: 5)
        #expect(schedule.finished(first.token) == [])
        #expect(schedule.finished(second.token) == [])
        #expect(schedule.voices.map(\.outstanding) == [5])
        #expect(schedule.finished(third.token) == [.rest(voice: 2)])
    }

    @Test("a mark is heard after all sound, and then nothing is unheard")
    func mark() throws {
        var schedule = EngineSchedule()
        _ = schedule.opened(self.cd)
        let sound = try schedule.write(frames: 10)
        let mark = try schedule.write(frames: 1, isMark: true)
        let wait = EngineSchedule.Wait.heard(generation: schedule.generation)
        _ = schedule.finished(sound.token)
        #expect(schedule.outcome(of: wait) == nil)
        #expect(schedule.hasUnheard)
        _ = schedule.finished(mark.token)
        #expect(schedule.outcome(of: wait) == .done)
        #expect(!schedule.hasUnheard)
    }

    @Test("a failure ends waits and writes until another engine is opened")
    func failure() throws {
        var schedule = EngineSchedule()
        schedule.failed(self.broken)
        #expect(schedule.failure == nil)
        _ = schedule.opened(self.cd)
        let first = try schedule.write(frames: 44_100)
        let wait = EngineSchedule.Wait.room(1, generation: schedule.generation)
        schedule.failed(self.broken)
        #expect(schedule.outcome(of: wait) == .failed(self.broken))
        #expect(schedule.wrote(frames: 1) == nil)
        _ = schedule.paused()
        #expect(schedule.resumed() == [])
        #expect(schedule.needsEngine)
        #expect(schedule.opened(self.cd) == [.add(voice: 2, self.cd)])
        #expect(schedule.finished(first.token) == [])
        #expect(schedule.wrote(frames: 1) != nil)
    }

    @Test("nothing is written before the opening or after the closing")
    func closed() {
        var schedule = EngineSchedule()
        #expect(schedule.wrote(frames: 1) == nil)
        #expect(schedule.closed() == [])
        _ = schedule.opened(self.cd)
        #expect(schedule.closed() == [.end])
        #expect(schedule.wrote(frames: 1) == nil)
        #expect(schedule.needsEngine)
    }

    @Test("the counts agree after any 200 events of any of 300 seeds")
    func storms() {
        for seed in UInt64(1)...300 {
            var state = seed
            func next(_ bound: UInt64) -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % bound
            }
            var schedule = EngineSchedule()
            var tokens: [EngineSchedule.Token] = []
            for _ in 0..<200 {
                switch next(8) {
                case 0: _ = schedule.opened(next(2) == 0 ? self.cd : self.radio)
                case 1, 2, 3:
                    let written = schedule.wrote(frames: Int(next(5_000)) + 1, isMark: next(9) == 0)
                    if let written { tokens.append(written.token) }
                // Buffers end in the order in which they were scheduled.
                case 4, 5: if !tokens.isEmpty { _ = schedule.finished(tokens.removeFirst()) }
                case 6: _ = next(2) == 0 ? schedule.paused() : schedule.resumed()
                default:
                    switch next(4) {
                    case 0: _ = schedule.discarded()
                    case 1: schedule.failed(self.broken)
                    case 2: _ = schedule.closed()
                    default: break
                    }
                }
                let own = tokens.filter { $0.generation == schedule.generation }
                let sum = own.reduce(0) { $0 + Int64($1.frames) }
                let books = schedule.voices.reduce(0) { $0 + $1.outstanding }
                guard sum == books, schedule.voices.allSatisfy({ $0.outstanding <= $0.scheduled })
                else {
                    Issue.record("the books of seed \(seed) do not balance")
                    return
                }
            }
        }
    }
}

extension EngineSchedule {
    /// The result of a write; throws if the schedule refuses it.
    fileprivate mutating func write(
        frames: Int,
        isMark: Bool = false
    ) throws -> (token: Token, effects: [Effect]) {
        guard let written = self.wrote(frames: frames, isMark: isMark) else {
            throw CancellationError()
        }
        return written
    }
}
