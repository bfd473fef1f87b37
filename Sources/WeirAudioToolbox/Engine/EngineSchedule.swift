// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// The sink's machine: decides what an audio engine does, and which waits are finished.
///
/// Audio of one format is a voice: a node of the engine that plays buffers in order. A format
/// change makes another voice, which begins when the voice before it has ended. When the last voice
/// has no more buffers, the machine stops its node and resets the node's clock. Otherwise the clock
/// would go on while the node has nothing to play. Pure: it uses no engine, no thread and no clock.
struct EngineSchedule: Sendable {
    /// The most audio in the engine, in seconds.
    static let capacity = 0.5
    /// The most voices at a time; a further format within half a second waits.
    static let voiceLimit = 4

    /// A buffer in the engine.
    struct Token: Hashable, Sendable {
        /// The voice of the buffer.
        var voice: Int
        /// Separates buffers before a discard from later ones.
        var generation: UInt64
        /// The length of the buffer.
        var frames: Int
        /// Whether it is a mark: silence that the sink itself adds after all written audio.
        var isMark = false
    }

    /// An effect for the engine to perform, in order.
    enum Effect: Hashable, Sendable {
        /// Adds a node for a format.
        case add(voice: Int, PCMFormat)
        /// Passes a buffer to its node.
        case schedule(Token)
        /// Starts a node: at once, or when another node has ended.
        case start(voice: Int, after: Int?)
        /// Pauses every node and the engine: a running engine keeps the device awake.
        case hold
        /// Stops a node, drops its buffers, and sets its clock to zero.
        case rest(voice: Int)
        /// Stops a node and removes it.
        case remove(voice: Int)
        /// Releases the engine.
        case end
    }

    /// The condition that a caller waits for.
    enum Wait: Hashable, Sendable {
        /// Room for this many seconds.
        case room(Double, generation: UInt64)
        /// The mark after all written audio has been heard.
        case heard(generation: UInt64)
        /// Another voice may be added.
        case anotherVoice(generation: UInt64)
    }

    /// The outcome of a wait.
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
        /// Frames given to the node since its clock was set to zero.
        var scheduled: Int64 = 0
        /// Of these, the frames of the buffers that the engine has not finished.
        var outstanding: Int64 = 0
        var buffers = 0
        var isStarted = false
        /// How many times the node's clock was set to zero.
        var epoch = 0

        func seconds(_ frames: Int64) -> Double { Double(frames) / Double(self.format.sampleRate) }

        /// The voice with its clock at zero and nothing to play.
        var rested: Voice { Voice(id: self.id, format: self.format, epoch: self.epoch + 1) }
    }

    private(set) var voices: [Voice] = []
    private(set) var generation: UInt64 = 0
    private(set) var isPaused = false
    private(set) var failure: AudioError?
    /// Whether audio was written that may not have been heard.
    private(set) var hasUnheard = false
    private var isOpen = false
    private var marks = 0
    private var lastVoice = 0

    /// How much audio the engine has not finished, in seconds.
    var outstanding: Double { self.voices.reduce(0) { $0 + $1.seconds($1.outstanding) } }

    /// The format of the current writes.
    var format: PCMFormat? { self.isOpen ? self.voices.last?.format : nil }

    /// Whether opening needs a new engine: there is none yet, or the last one has failed.
    var needsEngine: Bool { !self.isOpen || self.failure != nil }

    /// Audio of a format was opened; if an engine was needed, a new engine without voices is in use
    /// from now on.
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

    /// Frames of the open format were written; `nil` if no format is open, or the engine has
    /// failed.
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

    /// The engine has finished a buffer.
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
        // A voice whose start time could not be determined begins now.
        if index == 0, !self.isPaused, self.voices[0].buffers > 0 {
            effects.append(.start(voice: self.voices[0].id, after: nil))
        }
        return effects
    }

    /// The audio must pause.
    mutating func paused() -> [Effect] {
        guard !self.isPaused else { return [] }
        self.isPaused = true
        return self.isOpen ? [.hold] : []
    }

    /// The audio must go on.
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

    /// Written audio that has not been heard must be dropped.
    mutating func discarded() -> [Effect] {
        self.generation += 1
        self.marks = 0
        self.hasUnheard = false
        guard let last = self.voices.last else { return [] }
        let effects = self.voices.dropLast().map { Effect.remove(voice: $0.id) }
        self.voices = [last.rested]
        return effects + [.rest(voice: last.id)]
    }

    /// The engine can no longer be used: its device has changed, or it did not start.
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
            // A small tolerance, because sums of fractions are not exact.
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
