// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

@testable import WeirLive

/// Sends events to a machine and writes its effects in words.
struct MachineScript {
    /// The possible events.
    enum Event: String, CaseIterable {
        case came
        case left
        case answered
        case bytes
        case sound
        case playlist
        case emptyPlaylist
        case ended
        case unreachable
        case refused
        case final
        case notAudio
        case watchdog
        case retry
        case grace
        case path
        case close
    }

    /// States of a machine, and the events that lead to each.
    static let ways: [(name: String, events: [Event])] = [
        ("idle", []),
        ("connecting", [.came]),
        ("opening", [.came, .answered]),
        ("live", [.came, .answered, .sound]),
        ("waiting", [.came, .unreachable, .unreachable]),
        ("left", [.came, .answered, .sound, .left]),
        ("ended", [.came, .refused, .refused]),
        ("closed", [.came, .close]),
    ]

    var machine: StationMachine
    var now: Duration = .zero
    private var timers: [StationTimer: UInt64] = [:]

    init(policy: ReconnectPolicy = Self.steady, seed: UInt64 = 1) {
        self.machine = StationMachine(policy: policy, display: "radio.example", seed: seed)
    }

    /// A policy without jitter.
    static var steady: ReconnectPolicy { ReconnectPolicy(jitter: 0) }

    /// Sends an event to the machine, and returns the effects in words.
    mutating func tell(
        _ event: Event,
        sound: Duration = .seconds(1),
        entries: [String] = ["a", "b"]
    )
        -> String
    {
        self.write(self.effects(of: event, sound: sound, entries: entries))
    }

    /// The machine's state, in a word.
    var state: String {
        switch self.machine.state {
        case .idle: "idle"
        case .connecting: "connecting"
        case .opening: "opening"
        case .live: "live"
        case .waiting: "waiting"
        case .ended: "ended"
        case .closed: "closed"
        }
    }

    private mutating func effects(of event: Event, sound: Duration, entries: [String])
        -> [StationEffect]
    {
        let generation = self.machine.generation
        let now = self.now
        switch event {
        case .came: return self.machine.listenerCame(now: now)
        case .left: return self.machine.lastListenerLeft()
        case .answered: return self.machine.answered(Self.info, generation: generation, now: now)
        case .bytes: return self.machine.bytesCame(generation: generation, now: now)
        case .sound: return self.machine.soundCame(sound, generation: generation, now: now)
        case .playlist:
            return self.machine.playlistCame(entries, generation: generation, now: now)
        case .emptyPlaylist: return self.machine.playlistCame([], generation: generation, now: now)
        case .ended: return self.machine.bodyEnded(generation: generation, now: now)
        case .unreachable: return self.fail(StationFailure(.unreachable, "unreachable"))
        case .refused: return self.fail(StationFailure(.refused, "refused", isRefusal: true))
        case .final: return self.fail(StationFailure(.notAudio, "final", isFinal: true))
        case .notAudio: return self.fail(StationFailure(.notAudio, "notAudio"))
        case .watchdog: return self.fire(.watchdog)
        case .retry: return self.fire(.retry)
        case .grace: return self.fire(.grace)
        case .path: return self.machine.pathChanged(now: now)
        case .close: return self.machine.closed()
        }
    }

    static let info = StationInfo(
        headers: ICYHeaders([("icy-name", "Radio")]),
        mediaType: "audio/mpeg",
        display: "radio.example"
    )

    private mutating func fail(_ failure: StationFailure) -> [StationEffect] {
        self.machine.failed(failure, generation: self.machine.generation, now: self.now)
    }

    private mutating func fire(_ timer: StationTimer) -> [StationEffect] {
        self.machine.timerFired(timer, generation: self.timers[timer] ?? 0, now: self.now)
    }

    private mutating func write(_ effects: [StationEffect]) -> String {
        effects.map { effect in
            switch effect {
            case .connect(.station, _, let loss): return "ask station\(Self.word(loss))"
            case .connect(.entry(let entry), _, let loss):
                return "ask \(entry)\(Self.word(loss))"
            case .disconnect: return "disconnect"
            case .start(let timer, let delay, let generation):
                self.timers[timer] = generation
                return "\(timer) \(delay / .seconds(1))"
            case .stop(let timer): return "no \(timer)"
            case .publish(let status): return "=\(Self.word(status))"
            case .end(let loss): return "end\(Self.word(loss))"
            }
        }.joined(separator: "; ")
    }

    private static func word(_ loss: StationError?) -> String { loss.map { " \($0.code)" } ?? "" }

    private static func word(_ status: StationStatus) -> String {
        let phase =
            switch status.phase {
            case .idle: "idle"
            case .connecting: "connecting"
            case .live: "live"
            case .waiting(let delay): "waiting \(delay / .seconds(1))"
            case .ended: "ended"
            }
        return "\(phase) \(status.attempt)\(Self.word(status.reason))"
    }
}
