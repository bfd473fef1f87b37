// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// The sink's machine: decides what an audio engine does, and which waits are over.
///
/// Sound of one format is a voice: a node of the engine that plays buffers in order. A format change makes another
/// voice, which begins when the voice before it has ended. A voice that has run dry rests: its clock is set back, since a
/// node's clock goes on while there is nothing to play. Pure: it knows no engine, no thread and no time.
struct EngineSchedule: Sendable {
    /// The most sound that lies in the engine, in seconds.
    static let capacity = 0.5
    /// The most voices at a time; more formats than that in half a second wait.
    static let voiceLimit = 4

    /// A buffer on its way through the engine.
    struct Token: Hashable, Sendable {
        /// The voice that it is of.
        var voice: Int
        /// Tells buffers of before a discard from later ones.
        var generation: UInt64
        /// How long it is.
        var frames: Int
        /// Whether it is a mark of silence behind all that was written, and not written itself.
        var isMark = false
    }

    /// What the engine is to do, in the order given.
    enum Effect: Hashable, Sendable {
        /// A node for a format.
        case add(voice: Int, PCMFormat)
        /// Hand a buffer to its node.
        case schedule(Token)
        /// Let a node play: at once, or when another has ended.
        case start(voice: Int, after: Int?)
        /// Hold every node where it is, and the engine with them: an engine that runs keeps the device awake.
        case hold
        /// Stop a node, drop its buffers, and set its clock to zero.
        case rest(voice: Int)
        /// Stop a node and take it out.
        case remove(voice: Int)
        /// Let go of the engine.
        case end
    }

    /// What a caller waits for.
    enum Wait: Hashable, Sendable {
        /// Room for so many seconds.
        case room(Double, generation: UInt64)
        /// That the mark behind all that was written has been heard.
        case heard(generation: UInt64)
        /// That another voice may be added.
        case anotherVoice(generation: UInt64)
    }

    /// How a wait has ended.
    enum Outcome: Hashable, Sendable {
        case done
        case failed(AudioError)

        /// The result of the call that waited.
        var result: Result<Void, any Error> {
            switch self {
            case .done: .success(())
            case .failed(let error): .failure(error)
            }
        }
    }

    struct Voice: Hashable, Sendable {
        let id: Int
        let format: PCMFormat
        /// Frames handed to the node since its clock was set to zero.
        var scheduled: Int64 = 0
        /// Of these, the ones whose buffers the engine has not done with.
        var outstanding: Int64 = 0
        var buffers = 0
        var isStarted = false
        /// How often the node's clock was set to zero.
        var epoch = 0

        func seconds(_ frames: Int64) -> Double { Double(frames) / Double(self.format.sampleRate) }

        /// The voice with its clock at zero and nothing to play.
        var rested: Voice { Voice(id: self.id, format: self.format, epoch: self.epoch + 1) }
    }

    private(set) var voices: [Voice] = []
    private(set) var generation: UInt64 = 0
    private(set) var isPaused = false
    private(set) var failure: AudioError?
    /// Whether something was written that is not known to have been heard.
    private(set) var hasUnheard = false
    private var isOpen = false
    private var marks = 0
    private var lastVoice = 0

    /// How much sound the engine has not done with, in seconds.
    var outstanding: Double { self.voices.reduce(0) { $0 + $1.seconds($1.outstanding) } }

    /// The format that is written now.
    var format: PCMFormat? { self.isOpen ? self.voices.last?.format : nil }

    /// Whether sound can only be opened with another engine: there is none yet, or the one there was is of no use.
    var needsEngine: Bool { !self.isOpen || self.failure != nil }

    /// Sound of a format is to come; where an engine was needed, there is another from now on, without any voices.
    mutating func opened(_ format: PCMFormat) -> [Effect] {
        var effects: [Effect] = []
        if self.needsEngine {
            self.forget()
            self.isOpen = true
            self.failure = nil
        }
        if let last = self.voices.last {
            if last.format == format { return effects }
            if last.outstanding == 0 {
                effects.append(.remove(voice: last.id))
                self.voices.removeLast()
            }
        }
        self.lastVoice += 1
        self.voices.append(Voice(id: self.lastVoice, format: format))
        effects.append(.add(voice: self.lastVoice, format))
        return effects
    }

    /// Frames of the open format were given; `nil` if none is open, or it has failed.
    mutating func wrote(frames: Int, isMark: Bool = false) -> (token: Token, effects: [Effect])? {
        guard self.format != nil, self.failure == nil, let index = self.voices.indices.last else {
            return nil
        }
        let token = Token(
            voice: self.voices[index].id,
            generation: self.generation,
            frames: frames,
            isMark: isMark
        )
        self.voices[index].scheduled += Int64(frames)
        self.voices[index].outstanding += Int64(frames)
        self.voices[index].buffers += 1
        self.marks += isMark ? 1 : 0
        if !isMark { self.hasUnheard = true }
        var effects = [Effect.schedule(token)]
        if !self.isPaused, !self.voices[index].isStarted {
            self.voices[index].isStarted = true
            let before = index > 0 ? self.voices[index - 1].id : nil
            effects.append(.start(voice: token.voice, after: before))
        }
        return (token, effects)
    }

    /// The engine has done with a buffer.
    mutating func finished(_ token: Token) -> [Effect] {
        guard token.generation == self.generation,
            let index = self.voices.firstIndex(where: { $0.id == token.voice })
        else { return [] }
        self.voices[index].outstanding -= Int64(token.frames)
        self.voices[index].buffers -= 1
        if token.isMark {
            self.marks -= 1
            if self.marks == 0, self.outstanding == 0 { self.hasUnheard = false }
        }
        guard self.voices[index].buffers == 0 else { return [] }
        let voice = self.voices[index]
        if index == self.voices.indices.last {
            self.voices[index] = voice.rested
            return [.rest(voice: voice.id)]
        }
        self.voices.remove(at: index)
        var effects = [Effect.remove(voice: voice.id)]
        // A voice that had no time to begin at begins now.
        if index == 0, !self.isPaused, self.voices[0].buffers > 0 {
            effects.append(.start(voice: self.voices[0].id, after: nil))
        }
        return effects
    }

    /// The sound is to stand still.
    mutating func paused() -> [Effect] {
        guard !self.isPaused else { return [] }
        self.isPaused = true
        return self.isOpen ? [.hold] : []
    }

    /// The sound is to go on.
    mutating func resumed() -> [Effect] {
        guard self.isPaused else { return [] }
        self.isPaused = false
        guard self.failure == nil else { return [] }
        var effects: [Effect] = []
        var before: Int?
        for index in self.voices.indices where self.voices[index].buffers > 0 {
            self.voices[index].isStarted = true
            effects.append(.start(voice: self.voices[index].id, after: before))
            before = self.voices[index].id
        }
        return effects
    }

    /// What was written and not heard is to be dropped.
    mutating func discarded() -> [Effect] {
        self.generation += 1
        self.marks = 0
        self.hasUnheard = false
        guard let last = self.voices.last else { return [] }
        let effects = self.voices.dropLast().map { Effect.remove(voice: $0.id) }
        self.voices = [last.rested]
        return effects + [.rest(voice: last.id)]
    }

    /// The engine is of no more use: its device has changed, or it would not start.
    mutating func failed(_ error: AudioError) {
        guard self.isOpen, self.failure == nil else { return }
        self.failure = error
    }

    /// The sink is closed.
    mutating func closed() -> [Effect] {
        guard self.isOpen else { return [] }
        self.forget()
        self.isOpen = false
        self.isPaused = false
        self.failure = nil
        return [.end]
    }

    private mutating func forget() {
        self.generation += 1
        self.marks = 0
        self.hasUnheard = false
        self.voices = []
    }

    /// Whether a wait has ended, and how; `nil` while it has not.
    func outcome(of wait: Wait) -> Outcome? {
        let generation: UInt64
        let isOver: Bool
        switch wait {
        case .room(let seconds, let own):
            generation = own
            // A hair more: sums of fractions are not exact.
            isOver = self.outstanding == 0 || self.outstanding + seconds <= Self.capacity + 1e-9
        case .heard(let own):
            generation = own
            isOver = self.marks == 0
        case .anotherVoice(let own):
            generation = own
            isOver = self.voices.count < Self.voiceLimit
        }
        guard generation == self.generation else { return .done }
        if let failure { return .failed(failure) }
        return isOver ? .done : nil
    }
}
