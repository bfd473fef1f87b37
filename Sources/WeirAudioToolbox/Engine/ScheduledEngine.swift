// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AVFAudio
import Foundation
import Synchronization
import WeirPlayback

/// An audio engine with the nodes of a sink; performs the effects of an ``EngineSchedule``.
// Unchecked: the engine and its connections are used only on the sink's queue. Other threads read
// voices and latency, which are under a lock.
final class ScheduledEngine: @unchecked Sendable {
    private let engine = AVAudioEngine()
    private let shared = Mutex<(voices: [Int: EngineVoice], latency: Double)>(([:], 0))
    private let finished: @Sendable (EngineSchedule.Token) -> Void
    private let failed: @Sendable (AudioError) -> Void
    private var observer: (any NSObjectProtocol)?

    /// Makes an engine that does not run yet.
    ///
    /// - Parameters:
    ///   - finished: called with a buffer that the engine has finished, on any thread.
    ///   - failed: called when the engine can no longer be used, on any thread.
    init(
        finished: @escaping @Sendable (EngineSchedule.Token) -> Void,
        failed: @escaping @Sendable (AudioError) -> Void
    ) {
        self.finished = finished
        self.failed = failed
        self.observer = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange,
            object: self.engine,
            queue: nil
        ) { _ in
            // The engine has stopped itself. AVFAudio warns against using the engine in this
            // closure, so it only reports.
            failed(.deviceHasChanged)
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// Adds a voice; ``perform(_:_:)`` connects it.
    func admit(_ voice: EngineVoice, as id: Int) {
        self.shared.withLock { $0.voices[id] = voice }
    }

    /// How many frames given to a voice are not mixed yet.
    func remaining(_ voice: EngineSchedule.Voice) -> Int64 {
        guard let node = self.voice(voice.id) else { return voice.outstanding }
        return min(max(0, voice.scheduled - node.played(epoch: voice.epoch)), voice.outstanding)
    }

    /// The latency from the mixer to the ear, in seconds, as of the last scheduled buffer.
    var latency: Double { self.shared.withLock { $0.latency } }

    /// Performs the effects in order; on the sink's queue.
    ///
    /// - Parameters:
    ///   - effects: the effects.
    ///   - samples: the samples of the buffer to schedule, if an effect schedules one.
    func perform(_ effects: [EngineSchedule.Effect], _ samples: [Float]) {
        for effect in effects {
            switch effect {
            case .add(let id, _): self.connect(id)
            case .schedule(let token): self.schedule(token, samples)
            case .start(let id, let before): self.start(id, after: before)
            case .hold: self.hold()
            case .rest(let id): self.voice(id)?.stop()
            case .remove(let id): self.remove(id)
            case .end: self.end()
            }
        }
    }

    private var voices: [EngineVoice] { self.shared.withLock { Array($0.voices.values) } }

    private func voice(_ id: Int) -> EngineVoice? { self.shared.withLock { $0.voices[id] } }

    private func connect(_ id: Int) {
        guard let voice = self.voice(id) else { return }
        self.engine.attach(voice.node)
        self.engine.connect(voice.node, to: self.engine.mainMixerNode, format: voice.format)
    }

    private func schedule(_ token: EngineSchedule.Token, _ samples: [Float]) {
        guard let voice = self.voice(token.voice) else { return }
        let latency = self.engine.outputNode.presentationLatency
        self.shared.withLock { $0.latency = latency.isFinite ? min(max(0, latency), 10) : 0 }
        let finished = self.finished
        guard voice.schedule(samples, isMark: token.isMark, finished: { finished(token) }) else {
            self.failed(
                AudioError(
                    .failed,
                    "Playing sound failed: not enough memory for \(token.frames) frames"
                )
            )
            return
        }
        if let before = voice.predecessor { self.start(token.voice, after: before) }
    }

    private func start(_ id: Int, after before: Int?) {
        guard let voice = self.voice(id), self.run() else { return }
        guard let before, let other = self.voice(before) else { return self.play(voice, at: nil) }
        if let end = other.end {
            self.play(voice, at: end)
        } else {
            // Before the engine has mixed anything, no clock has a time. The next buffer tries
            // again; at the latest the end of the other voice starts this one.
            voice.predecessor = before
        }
    }

    /// Starts a voice, or reports that the device has changed since the engine was started.
    private func play(_ voice: EngineVoice, at hostTime: UInt64?) {
        if !voice.play(at: hostTime) { self.failed(.deviceHasChanged) }
    }

    /// Pauses every node and the engine, so that the device can sleep; ``run()`` starts the engine
    /// again.
    private func hold() {
        for voice in self.voices { voice.pause() }
        self.engine.pause()
    }

    /// Starts the engine unless it runs; a change of its device may stop it at any moment.
    private func run() -> Bool {
        if self.engine.isRunning { return true }
        do {
            try self.engine.start()
            return true
        } catch {
            self.failed(
                AudioError(
                    .unavailable,
                    "Starting the sound device failed: \(error.localizedDescription)"
                )
            )
            return false
        }
    }

    private func remove(_ id: Int) {
        guard let voice = self.shared.withLock({ $0.voices.removeValue(forKey: id) }) else {
            return
        }
        voice.stop()
        self.engine.disconnectNodeOutput(voice.node)
        self.engine.detach(voice.node)
    }

    private func end() {
        if let observer { NotificationCenter.default.removeObserver(observer) }
        self.observer = nil
        for voice in self.voices { voice.stop() }
        self.engine.stop()
        self.shared.withLock { $0.voices = [:] }
    }
}

extension AudioError {
    /// The engine has stopped itself.
    fileprivate static let deviceHasChanged = AudioError(
        .deviceChanged,
        "The sound device changed while it played; Weir opens it again"
    )
}
#endif
