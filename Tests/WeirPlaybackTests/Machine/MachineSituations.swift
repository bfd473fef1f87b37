// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirPlayback

/// The situations that a player's machine can be in, and the events that it can receive.
enum MachineSituations {
    typealias Event = (
        name: String, give: @Sendable (inout PlayerMachine) -> (PlayerAnswer?, [PlayerEffect])
    )

    static let away = PlayerFailure(.sink, "The sound server has gone.")
    static let failure = PlayerFailure(.source, "The origin has gone.")

    /// The situations: for each of the nine states, each variant that responds differently.
    static let all: [(name: String, machine: PlayerMachine)] = [
        ("initialized", Self.machine { _ in }),
        ("starting", Self.machine { _ = $0.start() }),
        ("starting after a seek", Self.playing { _ = $0.seek() }),
        ("waitingForData", Self.machine { Self.open(&$0) }),
        ("waitingForQueueToStart", Self.gathering { _ in }),
        ("waitingForQueueToStart, lost", Self.gathering { Self.lose(&$0) }),
        (
            "ready to play",
            Self.gathering { _ = $0.queued(seconds: 1, isFull: false, 1) }
        ),
        ("playing", Self.playing { _ in }),
        ("playing, lost", Self.playing { Self.lose(&$0) }),
        ("playing, device away", Self.playing { _ = $0.deviceIsAway(Self.away, 1) }),
        ("playing the last", Self.playing { _ = $0.sourceEnded(hasSound: true, 1) }),
        ("buffering", Self.playing { _ = $0.ranDry(at: .zero, 1) }),
        (
            "buffering, lost",
            Self.playing {
                Self.lose(&$0)
                _ = $0.ranDry(at: .zero, 1)
            }
        ),
        ("paused", Self.playing { _ = $0.pause() }),
        (
            "paused while buffering",
            Self.playing {
                _ = $0.ranDry(at: .zero, 1)
                _ = $0.pause()
            }
        ),
        ("paused by the system", Self.playing { _ = $0.interruptionBegan() }),
        (
            "paused by both",
            Self.playing {
                _ = $0.pause()
                _ = $0.interruptionBegan()
            }
        ),
        ("stopping, user", Self.playing { _ = $0.stop() }),
        ("stopping, end", Self.playing { _ = $0.finished(1) }),
        ("stopping, error", Self.playing { _ = $0.failed(Self.failure, 1) }),
        ("stopped, user", Self.stopped { _ = $0.stop() }),
        ("stopped, end", Self.stopped { _ = $0.finished(1) }),
        ("stopped, error", Self.stopped { _ = $0.failed(Self.failure, 1) }),
    ]

    /// The machine of a situation.
    static func machine(_ name: String) -> PlayerMachine {
        Self.all.first { $0.name == name }?.machine ?? PlayerMachine()
    }

    /// All commands and events; the events of a run belong to the newest run.
    static let events: [Event] = [
        Self.command("start") { $0.start() },
        Self.command("pause") { $0.pause() },
        Self.command("resume") { $0.resume() },
        Self.command("seek") { $0.seek() },
        Self.command("stop") { $0.stop() },
        ("interruptionBegan", { (nil, $0.interruptionBegan()) }),
        ("interruptionEnded, resume", { (nil, $0.interruptionEnded(shouldResume: true)) }),
        ("interruptionEnded", { (nil, $0.interruptionEnded(shouldResume: false)) }),
        ("deviceChanged", { (nil, $0.deviceChanged()) }),
        ("opened", { (nil, $0.opened($0.generation)) }),
        ("queued a little", { (nil, $0.queued(seconds: 0.1, isFull: false, $0.generation)) }),
        ("queued enough", { (nil, $0.queued(seconds: 9, isFull: false, $0.generation)) }),
        ("queued, full", { (nil, $0.queued(seconds: 0.1, isFull: true, $0.generation)) }),
        ("sourceEnded, sound left", { (nil, $0.sourceEnded(hasSound: true, $0.generation)) }),
        ("sourceEnded", { (nil, $0.sourceEnded(hasSound: false, $0.generation)) }),
        ("ranDry", { (nil, $0.ranDry(at: .seconds(100), $0.generation)) }),
        ("sink opened", { (nil, $0.sinkOpened($0.generation)) }),
        ("device away", { (nil, $0.deviceIsAway(Self.away, $0.generation)) }),
        ("connection lost", { (nil, $0.connectionChanged(isLost: true, $0.generation)) }),
        ("connection back", { (nil, $0.connectionChanged(isLost: false, $0.generation)) }),
        ("finished", { (nil, $0.finished($0.generation)) }),
        ("failed", { (nil, $0.failed(Self.failure, $0.generation)) }),
        ("released", { (nil, $0.released($0.generation)) }),
    ]

    private static func command(
        _ name: String,
        _ give: @escaping @Sendable (inout PlayerMachine) -> (PlayerAnswer, [PlayerEffect])
    ) -> Event {
        (
            name,
            { machine in
                let (answer, effects) = give(&machine)
                return (answer, effects)
            }
        )
    }

    private static func machine(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        var machine = PlayerMachine()
        change(&machine)
        return machine
    }

    private static func open(_ machine: inout PlayerMachine) {
        _ = machine.start()
        _ = machine.opened(1)
    }

    private static func lose(_ machine: inout PlayerMachine) {
        _ = machine.connectionChanged(isLost: true, 1)
    }

    private static func gathering(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        Self.machine { machine in
            Self.open(&machine)
            _ = machine.queued(seconds: 0.1, isFull: false, 1)
            change(&machine)
        }
    }

    private static func playing(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        Self.gathering { machine in
            _ = machine.queued(seconds: 1, isFull: false, 1)
            _ = machine.sinkOpened(1)
            change(&machine)
        }
    }

    private static func stopped(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        Self.playing { machine in
            change(&machine)
            _ = machine.released(1)
        }
    }
}
