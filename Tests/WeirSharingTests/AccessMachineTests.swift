// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache

@testable import WeirSharing

/// The owners are numbers: 1 is the first, 2 is the one that an event brings.
private typealias Machine = AccessMachine<Int>

@Suite("The decisions with which a process gets access to a cache directory")
struct AccessMachineTests {
    private static let pause = Duration.seconds(5)
    private static let taken = CacheError(.inUse, "taken")
    private static let broken = CacheError(.io, "broken")
    private static let refused = CacheError(.inUse, "refused")

    /// A machine, and the time.
    private struct Scene {
        var machine = Machine(directory: "/cache", pause: AccessMachineTests.pause)
        var now = Duration.zero

        /// Handles events one after the other, and returns the effects of the last.
        @discardableResult
        mutating func take(_ events: Machine.Event...) -> [String] {
            var effects: [Machine.Effect] = []
            for event in events { effects = self.machine.handle(event, at: self.now) }
            return effects.map(AccessMachineTests.text)
        }

        var state: String { AccessMachineTests.text(self.machine.state) }
    }

    private static func text(_ state: Machine.State) -> String {
        switch state {
        case .opening(let opening): "opening after \(opening.former)"
        case .owning(let owner): "owning \(owner)"
        case .using(let number, _): "using \(number)"
        case .without(let error, let time): "without, \(error.message), until \(time)"
        case .closed: "closed"
        }
    }

    private static func text(_ effect: Machine.Effect) -> String {
        switch effect {
        case .wait(let time): "wait \(time)"
        case .retire(let owner): "retire \(owner)"
        case .discard(let owner): "discard \(owner)"
        case .tellDegraded(let reason): "degraded, \(reason)"
        default: "\(effect)"
        }
    }

    // MARK: Every state and every event

    /// The events that lead from the start to each state.
    private static let ways: [String: [Machine.Event]] = [
        "opening after start": [],
        "opening after owning(1)": [.opened(1), .directoryRemoved],
        "opening after using": [.openFailed(taken), .ownerLost(1)],
        "opening after without": [.openFailed(broken), .needed],
        "owning 1": [.opened(1)],
        "using 1": [.openFailed(taken)],
        "without": [.openFailed(broken)],
        "closed": [.closed],
    ]

    private static let events: [String: Machine.Event] = [
        "opened": .opened(2), "open failed": .openFailed(broken), "taken": .openFailed(taken),
        "reached": .reached, "not reached": .notReached, "waited": .waited, "needed": .needed,
        "lost": .ownerLost(1), "silent": .ownerSilent(1), "refused": .ownerRefused(1, refused),
        "lost long ago": .ownerLost(0), "silent long ago": .ownerSilent(0),
        "refused long ago": .ownerRefused(0, refused), "removed": .directoryRemoved,
        "degraded": .degraded, "recovered": .recovered, "closed": .closed,
    ]

    private static let silence =
        "The cache directory /cache is used by another process, which does not answer; end that process."

    /// The next state and the effects of each event that changes anything.
    ///
    /// The time is 6 s.
    private static let outcomes: [String: [String: (String, [String])]] = [
        "opening after start": [
            "opened": ("owning 2", ["settle"]),
            "open failed": (
                "without, broken, until 11.0 seconds", ["degraded, broken", "settle"]
            ),
            "taken": ("using 1", ["settle"]),
            "reached": ("using 1", ["settle"]),
            "not reached": (
                "without, \(silence), until 66.0 seconds", ["degraded, \(silence)", "settle"]
            ),
            "waited": ("opening after start", ["open"]),
            "closed": ("closed", ["cancel", "settle"]),
        ],
        "opening after owning(1)": [
            "opened": ("owning 2", ["retire 1", "tellRecovered", "settle"]),
            "open failed": (
                "without, broken, until 11.0 seconds", ["retire 1", "degraded, broken", "settle"]
            ),
            "taken": ("opening after owning(1)", ["connect"]),
            "reached": ("using 1", ["retire 1", "tellRecovered", "settle"]),
            "not reached": ("opening after owning(1)", ["wait 0.025 seconds"]),
            "waited": ("opening after owning(1)", ["open"]),
            "closed": ("closed", ["cancel", "settle"]),
        ],
        "opening after using": [
            "opened": ("owning 2", ["settle"]),
            "open failed": ("without, broken, until 11.0 seconds", ["degraded, broken", "settle"]),
            "taken": ("opening after using", ["connect"]),
            "reached": ("using 2", ["settle"]),
            "not reached": ("opening after using", ["wait 0.025 seconds"]),
            "waited": ("opening after using", ["open"]),
            "closed": ("closed", ["cancel", "settle"]),
        ],
        "opening after without": [
            "opened": ("owning 2", ["tellRecovered", "settle"]),
            "open failed": ("without, broken, until 11.0 seconds", ["settle"]),
            "taken": ("opening after without", ["connect"]),
            "reached": ("using 1", ["tellRecovered", "settle"]),
            "not reached": ("opening after without", ["wait 0.025 seconds"]),
            "waited": ("opening after without", ["open"]),
            "closed": ("closed", ["cancel", "settle"]),
        ],
        "owning 1": [
            "opened": ("owning 1", ["discard 2"]),
            "removed": ("opening after owning(1)", ["open"]),
            "closed": ("closed", ["settle"]),
        ],
        "using 1": [
            "opened": ("using 1", ["discard 2"]),
            "lost": ("opening after using", ["open"]),
            "silent": (
                "without, \(silence), until 66.0 seconds", ["degraded, \(silence)", "settle"]
            ),
            "refused": (
                "without, refused, until 66.0 seconds", ["degraded, refused", "settle"]
            ),
            "closed": ("closed", ["settle"]),
        ],
        "without": [
            "opened": ("without, broken, until 5.0 seconds", ["discard 2"]),
            "needed": ("opening after without", ["open"]),
            "closed": ("closed", ["settle"]),
        ],
        "closed": [
            "opened": ("closed", ["discard 2"]),
            "closed": ("closed", ["settle"]),
        ],
    ]

    @Test("every event in every state has the outcome of the table", arguments: ways.keys.sorted())
    func table(_ name: String) throws {
        let way = try #require(Self.ways[name])
        let outcomes = try #require(Self.outcomes[name])
        for (label, event) in Self.events {
            var scene = Scene()
            for (index, step) in way.enumerated() {
                // The last step comes after the pause of 5 s: during the pause, a machine without a cache does not try
                // again.
                if index == way.count - 1, way.count > 1 { scene.now = .seconds(6) }
                scene.take(step)
            }
            if name == "opening after start" { scene.now = .seconds(6) }
            let before = scene.state
            scene.now = .seconds(6)
            let effects = scene.take(event)
            let outcome = outcomes[label] ?? (before, [])
            #expect(scene.state == outcome.0, "\(label)")
            #expect(effects == outcome.1, "\(label)")
        }
    }

    // MARK: Sequences of events

    @Test("a user replaces an owner that dies during the search for it")
    func ownerDiesWhileOpening() {
        var scene = Scene()
        scene.take(.openFailed(Self.taken))
        #expect(scene.take(.ownerLost(1)) == ["open"])
        // The owner still has the lock, but no longer listens.
        #expect(scene.take(.openFailed(Self.taken)) == ["connect"])
        #expect(scene.take(.notReached) == ["wait 0.025 seconds"])
        #expect(scene.take(.waited) == ["open"])
        #expect(scene.take(.opened(1)) == ["settle"])
        #expect(scene.state == "owning 1")
    }

    @Test("of two candidates one owns the directory, and the other uses it")
    func twoCandidates() {
        var (one, two) = (Scene(), Scene())
        one.take(.openFailed(Self.taken))
        two.take(.openFailed(Self.taken))
        #expect(one.take(.ownerLost(1)) == ["open"])
        #expect(two.take(.ownerLost(1)) == ["open"])
        #expect(one.take(.opened(1)) == ["settle"])
        #expect(two.take(.openFailed(Self.taken)) == ["connect"])
        // The new owner does not listen yet.
        #expect(two.take(.notReached) == ["wait 0.025 seconds"])
        #expect(two.take(.waited) == ["open"])
        #expect(two.take(.openFailed(Self.taken)) == ["connect"])
        #expect(two.take(.reached) == ["settle"])
        #expect(one.state == "owning 1")
        #expect(two.state == "using 2")
        // Events of the earlier owner no longer matter.
        #expect(two.take(.ownerLost(1)).isEmpty)
        #expect(two.take(.ownerSilent(1)).isEmpty)
        #expect(two.state == "using 2")
    }

    @Test("after ten seconds a user does without an owner that has the lock and is never reached")
    func silentOwner() {
        var scene = Scene()
        scene.take(.openFailed(Self.taken), .ownerLost(1))
        var waits: [Duration] = []
        while case .opening = scene.machine.state {
            scene.take(.openFailed(Self.taken))
            let effects = scene.machine.handle(.notReached, at: scene.now)
            guard case .wait(let time)? = effects.first else { break }
            waits.append(time)
            scene.now += time
            scene.take(.waited)
        }
        #expect(
            Array(waits.prefix(6))
                == [25, 50, 100, 200, 400, 400].map { Duration.milliseconds($0) }
        )
        #expect(scene.now >= Machine.patience)
        #expect(scene.now <= Machine.patience + Machine.longestDelay)
        let end = scene.now + Machine.longPause
        #expect(scene.state == "without, \(Self.silence), until \(end)")
        // The machine tries nothing before the pause is over.
        scene.now = end
        #expect(scene.take(.needed).isEmpty)
        scene.now = end + .nanoseconds(1)
        #expect(scene.take(.needed) == ["open"])
    }

    @Test("an owner that answers and breaks off again and again is asked more and more rarely")
    func unsteadyOwner() {
        var scene = Scene()
        scene.take(.openFailed(Self.taken))
        var first: [String] = []
        for number in 1...8 {
            let effects = scene.take(.ownerLost(number))
            first += effects
            if effects != ["open"] { #expect(scene.take(.waited) == ["open"]) }
            scene.take(.openFailed(Self.taken), .reached)
        }
        let waits = [0.025, 0.05, 0.1, 0.2, 0.4, 0.4, 0.4].map { "wait \($0) seconds" }
        #expect(first == ["open"] + waits)
        // An owner that has been steady is replaced at once.
        scene.now += Machine.steadyTime
        #expect(scene.take(.ownerLost(9)) == ["open"])
    }

    @Test("an access that is closed while it opens releases a lock that comes too late")
    func closeWhileOpening() {
        var scene = Scene()
        scene.take(.openFailed(Self.taken), .ownerLost(1))
        #expect(scene.take(.closed) == ["cancel", "settle"])
        #expect(scene.take(.opened(1)) == ["discard 1"])
        #expect(scene.take(.needed).isEmpty)
        #expect(scene.state == "closed")
        #expect(scene.machine.owner == nil)
    }

    @Test("a user leaves an owner of another version alone for a minute, and then asks again")
    func refusedVersion() {
        var scene = Scene()
        scene.take(.openFailed(Self.taken))
        #expect(scene.take(.ownerRefused(1, .otherVersion)).first?.hasPrefix("degraded") == true)
        scene.now = Machine.longPause
        #expect(scene.take(.needed).isEmpty)
        scene.now += .seconds(1)
        #expect(scene.take(.needed) == ["open"])
        #expect(scene.take(.openFailed(Self.taken)) == ["connect"])
        #expect(scene.take(.reached) == ["tellRecovered", "settle"])
        #expect(scene.state == "using 2")
    }

    @Test(
        "a degraded directory is checked once in a pause, and keeps its owner until there is another"
    )
    func removedDirectory() {
        var scene = Scene()
        scene.take(.opened(1))
        #expect(scene.machine.ownerToCheck(at: scene.now) == nil)
        scene.take(.degraded)
        #expect(scene.machine.ownerToCheck(at: scene.now) == 1)
        #expect(scene.machine.ownerToCheck(at: scene.now) == nil)
        scene.now += Self.pause
        #expect(scene.machine.ownerToCheck(at: scene.now) == 1)
        scene.take(.directoryRemoved)
        #expect(scene.machine.owner == 1)
        #expect(scene.take(.opened(2)) == ["retire 1", "tellRecovered", "settle"])
        scene.take(.recovered)
        scene.now += Self.pause
        #expect(scene.machine.ownerToCheck(at: scene.now) == nil)
    }
}
