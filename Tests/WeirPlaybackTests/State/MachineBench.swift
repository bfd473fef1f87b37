// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirPlayback

/// Brings a player's machine into each situation there is, and tells it everything that can be told.
enum MachineBench {
    static let failure = PlayerFailure(.source, "The origin has gone.")

    /// The situations: each way of being in one of the nine states that answers differently.
    static let situations: [(name: String, machine: PlayerMachine)] = [
        ("initialized", Self.machine { _ in }),
        ("starting", Self.machine { _ = $0.start() }),
        ("starting after a seek", Self.sounding { _ = $0.seek() }),
        ("waitingForData", Self.machine { Self.open(&$0) }),
        ("waitingForQueueToStart", Self.filling { _ in }),
        ("waitingForQueueToStart, line lost", Self.filling { _ = $0.lineChanged(isLost: true, 1) }),
        ("playing", Self.sounding { _ in }),
        ("playing, line lost", Self.sounding { _ = $0.lineChanged(isLost: true, 1) }),
        ("playing the last", Self.sounding { _ = $0.sourceEnded(hasSound: true, 1) }),
        ("buffering", Self.sounding { _ = $0.ranDry(at: .zero, 1) }),
        (
            "buffering, line lost",
            Self.sounding {
                _ = $0.lineChanged(isLost: true, 1)
                _ = $0.ranDry(at: .zero, 1)
            }
        ),
        ("paused", Self.sounding { _ = $0.pause() }),
        (
            "paused while buffering",
            Self.sounding {
                _ = $0.ranDry(at: .zero, 1)
                _ = $0.pause()
            }
        ),
        ("paused by the system", Self.sounding { _ = $0.interruptionBegan() }),
        (
            "paused by both",
            Self.sounding {
                _ = $0.pause()
                _ = $0.interruptionBegan()
            }
        ),
        ("stopping, user", Self.sounding { _ = $0.stop() }),
        ("stopping, end", Self.sounding { _ = $0.finished(1) }),
        ("stopping, error", Self.sounding { _ = $0.failed(Self.failure, 1) }),
        (
            "stopped, user",
            Self.sounding {
                _ = $0.stop()
                _ = $0.released(1)
            }
        ),
        (
            "stopped, end",
            Self.sounding {
                _ = $0.finished(1)
                _ = $0.released(1)
            }
        ),
        (
            "stopped, error",
            Self.sounding {
                _ = $0.failed(Self.failure, 1)
                _ = $0.released(1)
            }
        ),
    ]

    /// Everything that can be told; news are of the generation that runs.
    static let events:
        [(name: String, tell: @Sendable (inout PlayerMachine) -> (PlayerAnswer?, [PlayerEffect]))] =
            [
                (
                    "start",
                    {
                        let (a, e) = $0.start()
                        return (a, e)
                    }
                ),
                (
                    "pause",
                    {
                        let (a, e) = $0.pause()
                        return (a, e)
                    }
                ),
                (
                    "resume",
                    {
                        let (a, e) = $0.resume()
                        return (a, e)
                    }
                ),
                (
                    "seek",
                    {
                        let (a, e) = $0.seek()
                        return (a, e)
                    }
                ),
                (
                    "stop",
                    {
                        let (a, e) = $0.stop()
                        return (a, e)
                    }
                ),
                ("interruptionBegan", { (nil, $0.interruptionBegan()) }),
                (
                    "interruptionEnded, may go on",
                    { (nil, $0.interruptionEnded(shouldResume: true)) }
                ),
                ("interruptionEnded", { (nil, $0.interruptionEnded(shouldResume: false)) }),
                ("deviceChanged", { (nil, $0.deviceChanged()) }),
                ("opened", { (nil, $0.opened($0.generation)) }),
                (
                    "queued a little",
                    { (nil, $0.queued(seconds: 0.1, isFull: false, $0.generation)) }
                ),
                ("queued enough", { (nil, $0.queued(seconds: 9, isFull: false, $0.generation)) }),
                ("queued, full", { (nil, $0.queued(seconds: 0.1, isFull: true, $0.generation)) }),
                (
                    "sourceEnded, sound left",
                    { (nil, $0.sourceEnded(hasSound: true, $0.generation)) }
                ),
                (
                    "sourceEnded, none left",
                    { (nil, $0.sourceEnded(hasSound: false, $0.generation)) }
                ),
                ("ranDry", { (nil, $0.ranDry(at: .seconds(100), $0.generation)) }),
                ("line lost", { (nil, $0.lineChanged(isLost: true, $0.generation)) }),
                ("line back", { (nil, $0.lineChanged(isLost: false, $0.generation)) }),
                ("finished", { (nil, $0.finished($0.generation)) }),
                ("failed", { (nil, $0.failed(Self.failure, $0.generation)) }),
                ("released", { (nil, $0.released($0.generation)) }),
            ]

    /// A line for every situation and every event: what comes of it.
    static func transcript() -> [String] {
        self.situations.flatMap { situation -> [String] in
            ["\(situation.name) [\(situation.machine.stopReason)]"]
                + self.events.map { event in
                    var machine = situation.machine
                    let (answer, effects) = event.tell(&machine)
                    var line = "  \(event.name): "
                    if machine.state == situation.machine.state,
                        machine.stopReason == situation.machine.stopReason
                    {
                        line += "-"
                    } else {
                        line += "\(machine.state) [\(machine.stopReason)]"
                    }
                    if machine.failure != situation.machine.failure {
                        line += machine.failure == nil ? ", error cleared" : ", error kept"
                    }
                    if case .refused? = answer { line += ", refused" }
                    if answer == .alreadySo { line += ", already so" }
                    return line + effects.map { "; \(self.name($0))" }.joined()
                }
        }
    }

    private static func name(_ effect: PlayerEffect) -> String {
        switch effect {
        case .begin(let generation): "begin \(generation)"
        case .release(let generation): "release \(generation)"
        default: "\(effect)"
        }
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

    private static func filling(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        Self.machine { machine in
            Self.open(&machine)
            _ = machine.queued(seconds: 0.1, isFull: false, 1)
            change(&machine)
        }
    }

    private static func sounding(_ change: (inout PlayerMachine) -> Void) -> PlayerMachine {
        Self.filling { machine in
            _ = machine.queued(seconds: 1, isFull: false, 1)
            change(&machine)
        }
    }
}
