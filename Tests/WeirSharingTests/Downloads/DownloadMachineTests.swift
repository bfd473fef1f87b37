// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("The decisions of the download queue")
struct DownloadMachineTests {
    static let failure = SourceError(.notFound, "There is none.")

    static func key(_ number: Int) -> ResourceKey {
        ResourceKey(location: "https://a.example/\(number)", account: "", display: "\(number)")
    }

    static func id(_ number: Int) -> String { self.key(number).identifier }

    /// A machine with short names, and its effects as lines without records and reports.
    struct Scene {
        var machine = DownloadMachine()
        var now = Duration.zero

        init(running count: Int = 2, lent: Int = 0) {
            var settings = DownloadSettings()
            settings.maximumRunning = count
            _ = self.machine.handle(.set(settings), at: .zero)
            for number in 0..<lent {
                _ = self.machine.handle(.sourceLent(DownloadMachineTests.id(number)), at: .zero)
            }
        }

        mutating func callAsFunction(_ event: DownloadMachine.Event) -> [String] {
            self.machine.handle(event, at: self.now).compactMap { effect in
                switch effect {
                case .start(let id, _): "start \(Self.name(id))"
                case .stop(let id): "stop \(Self.name(id))"
                case .unpin(let id): "unpin \(Self.name(id))"
                case .deleteBytes(let id): "delete \(Self.name(id))"
                case .wake(let time): "wake \(time.components.seconds)"
                case .record, .tell: nil
                }
            }
        }

        mutating func add(_ numbers: Int...) -> [String] {
            numbers.flatMap { self(.added(DownloadMachineTests.key($0), isPinned: true)) }
        }

        func state(_ number: Int) -> DownloadState? {
            self.machine.state(of: DownloadMachineTests.id(number))
        }

        func run(_ number: Int) -> Int {
            self.machine.run(of: DownloadMachineTests.id(number)) ?? 0
        }

        mutating func finish(_ number: Int) -> [String] {
            self(.finished(DownloadMachineTests.id(number), run: self.run(number)))
        }

        mutating func breakOff(_ number: Int, _ setback: DownloadSetback) -> [String] {
            self(.broke(DownloadMachineTests.id(number), run: self.run(number), setback))
        }

        private static func name(_ id: String) -> String {
            (0..<100).first { DownloadMachineTests.id($0) == id }.map { "\($0)" } ?? id
        }
    }

    @Test("the allowed number of downloads run at once, in order")
    func order() {
        var queue = Scene(lent: 4)
        #expect(queue.add(0, 1, 2, 3) == ["start 0", "start 1"])
        #expect(queue.state(2) == .queued)
        #expect(queue(.moved(Self.id(3), to: 0)).isEmpty)
        #expect(queue.finish(1) == ["start 3"])
        #expect(queue.state(1) == .finished)
        #expect(queue.finish(0) == ["start 2"])
        var settings = DownloadSettings()
        settings.maximumRunning = 1
        #expect(queue(.set(settings)).isEmpty)
        #expect(queue.finish(3).isEmpty && queue.finish(2).isEmpty)
    }

    @Test("a download waits for its origin, and stops when the origin is withdrawn")
    func source() {
        var queue = Scene()
        #expect(queue.add(0).isEmpty)
        #expect(queue.state(0) == .waiting(.source))
        #expect(queue(.sourceLent(Self.id(0))) == ["start 0"])
        #expect(queue(.sourceLent(Self.id(0))).isEmpty)
        #expect(queue(.sourceTakenBack(Self.id(0))).isEmpty)
        #expect(queue.state(0) == .running)
        #expect(queue(.sourceTakenBack(Self.id(0))) == ["stop 0"])
        #expect(queue.state(0) == .waiting(.source))
    }

    @Test("a paused download stays paused, and resuming continues it")
    func pausing() {
        var queue = Scene(running: 1, lent: 2)
        #expect(queue.add(0, 1) == ["start 0"])
        #expect(queue(.paused(Self.id(0))) == ["stop 0", "start 1"])
        #expect(queue.state(0) == .paused)
        #expect(queue(.allPaused) == ["stop 1"])
        #expect(queue(.allResumed) == ["start 0"])
    }

    @Test("after a network failure a download waits longer and longer, and others run")
    func network() {
        var queue = Scene(running: 1, lent: 2)
        _ = queue.add(0, 1)
        let failure = DownloadSetback.network(Self.failure)
        #expect(queue.breakOff(0, failure) == ["start 1", "wake 2"])
        #expect(queue.state(0) == .waiting(.network))
        queue.now = .seconds(2)
        #expect(queue(.timePassed).isEmpty)
        #expect(queue.state(0) == .queued)
        #expect(queue.finish(1) == ["start 0"])
        #expect(queue.breakOff(0, failure) == ["wake 6"])
        queue.now = .seconds(6)
        #expect(queue(.timePassed) == ["start 0"])
        // Bytes arrived, so the next failure counts as a first one.
        _ = queue(.progressed(Self.id(0), run: queue.run(0)))
        #expect(queue.breakOff(0, failure) == ["wake 8"])
        for _ in 0..<40 {
            queue.now += .seconds(400)
            #expect(queue(.timePassed) == ["start 0"])
            _ = queue.breakOff(0, failure)
        }
        let longest = queue.now + DownloadMachine.longestPause
        queue.now = longest
        #expect(queue(.timePassed) == ["start 0"])
    }

    @Test("without a network no download runs; another network ends the pauses")
    func conditions() {
        var queue = Scene(lent: 3)
        #expect(queue.add(0, 1) == ["start 0", "start 1"])
        _ = queue.breakOff(1, .network(Self.failure))
        var settings = DownloadSettings()
        settings.isConnected = false
        #expect(queue(.set(settings)) == ["stop 0"])
        #expect(queue.state(0) == .waiting(.network))
        #expect(queue.add(2).isEmpty)
        settings.isConnected = true
        #expect(queue(.set(settings)) == ["start 0", "start 1"])
        settings.isExpensive = true
        #expect(queue(.set(settings)).isEmpty)
        settings.allowsExpensive = false
        #expect(queue(.set(settings)) == ["stop 0", "stop 1"])
    }

    @Test("a full disk makes a download wait for room; a refusal ends it until the user resumes it")
    func spaceAndRefusal() {
        var queue = Scene(lent: 2)
        _ = queue.add(0, 1)
        #expect(queue.breakOff(0, .space(Self.failure)) == ["wake 60"])
        #expect(queue.state(0) == .waiting(.space))
        #expect(queue(.spaceFreed) == ["start 0"])
        #expect(queue.breakOff(1, .final(Self.failure)).isEmpty)
        #expect(queue.state(1) == .failed(Self.failure))
        #expect(queue(.allResumed).isEmpty)
        #expect(queue(.resumed(Self.id(1))) == ["start 1"])
    }

    @Test("a changed resource is fetched again at once, and after a pause if it changes again")
    func changed() {
        var queue = Scene(lent: 1)
        _ = queue.add(0)
        #expect(queue.breakOff(0, .changed(Self.failure)) == ["start 0"])
        #expect(queue.breakOff(0, .changed(Self.failure)) == ["wake 4"])
    }

    @Test("removal stops a download, and removes its own pin")
    func removal() {
        var queue = Scene(lent: 2)
        _ = queue.add(0, 1)
        let run = queue.run(0)
        #expect(queue(.pinning(Self.id(0), run: run)).isEmpty)
        #expect(
            queue(.removed(Self.id(0), deletingBytes: true)) == ["stop 0", "unpin 0", "delete 0"]
        )
        #expect(queue(.removed(Self.id(1), deletingBytes: false)) == ["stop 1"])
        #expect(queue(.finished(Self.id(0), run: run)).isEmpty)
        #expect(queue.machine.table.count == 0)
    }

    @Test("a download that is added again to be kept starts again, so that it is pinned")
    func keptLater() {
        var queue = Scene(lent: 1)
        #expect(queue(.added(Self.key(0), isPinned: false)) == ["start 0"])
        #expect(queue(.added(Self.key(0), isPinned: false)).isEmpty)
        #expect(queue.add(0) == ["stop 0", "start 0"])
        #expect(queue.add(0).isEmpty)
    }

    @Test("the queue is bounded, and long texts are cut between two characters")
    func bounds() {
        var machine = DownloadMachine()
        for number in 0...DownloadMachine.maximumCount {
            _ = machine.handle(.added(Self.key(number), isPinned: false), at: .zero)
        }
        #expect(machine.table.count == DownloadMachine.maximumCount)
        #expect("aü".prefix(utf8Count: 2) == "a")
        #expect("aü".prefix(utf8Count: 3) == "aü")
    }

    // MARK: All pairs

    /// Download 0 in each of its states, with download 1 behind it; `nil` is an empty queue.
    private static let states: [(state: DownloadState?, make: @Sendable () -> Scene)] = [
        (nil, { Scene(lent: 2) }),
        (.waiting(.source), { scene(lent: 0) { _ in } }),
        (.running, { scene { _ in } }),
        (
            .queued,
            {
                scene(running: 1) {
                    _ = $0(.paused(id(0)))
                    _ = $0(.resumed(id(0)))
                }
            }
        ),
        (.paused, { scene { _ = $0(.paused(id(0))) } }),
        (.waiting(.network), { scene { _ = $0.breakOff(0, .network(failure)) } }),
        (.waiting(.space), { scene { _ = $0.breakOff(0, .space(failure)) } }),
        (.finished, { scene { _ = $0.finish(0) } }),
        (.failed(failure), { scene { _ = $0.breakOff(0, .final(failure)) } }),
    ]

    private static func scene(
        running: Int = 2,
        lent: Int = 2,
        _ body: (inout Scene) -> Void
    ) -> Scene {
        var scene = Scene(running: running, lent: lent)
        _ = scene.add(0, 1)
        body(&scene)
        return scene
    }

    private static func events(_ run: Int) -> [DownloadMachine.Event] {
        var lost = DownloadSettings()
        lost.isConnected = false
        return [
            .added(self.key(0), isPinned: true), .paused(self.id(0)), .resumed(self.id(0)),
            .allPaused, .allResumed, .moved(self.id(0), to: 1), .moved(self.id(0), to: -5),
            .removed(self.id(0), deletingBytes: true), .set(lost), .sourceLent(self.id(0)),
            .sourceTakenBack(self.id(0)), .pinning(self.id(0), run: run),
            .progressed(self.id(0), run: run), .finished(self.id(0), run: run),
            .broke(self.id(0), run: run, .network(self.failure)),
            .broke(self.id(0), run: run, .space(self.failure)),
            .broke(self.id(0), run: run, .changed(self.failure)),
            .broke(self.id(0), run: run, .sourceGone),
            .broke(self.id(0), run: run, .final(self.failure)), .lost(self.id(0)), .spaceFreed,
            .timePassed, .sourceFailed(self.id(0), self.failure),
        ]
    }

    @Test("every event in every state keeps the invariants", arguments: 0..<9)
    func everyPair(_ number: Int) {
        let (state, make) = Self.states[number]
        #expect(make().state(0) == state)
        for run in [make().run(0), 77] {
            for event in Self.events(run) {
                var scene = make()
                let place = "\(String(describing: state)), \(event)"
                var world = World(scene.machine)
                world.ended(event)
                world.take(scene.machine.handle(event, at: .seconds(1)))
                world.check(scene.machine, place)
                // An event of a run that does not exist changes nothing.
                if case .finished(_, 77) = event { #expect(scene.state(0) == state, "\(place)") }
                if case .removed = event { #expect(scene.state(0) == nil, "\(place)") }
                if case .paused = event, state?.isOver == false {
                    #expect(scene.state(0) == .paused, "\(place)")
                }
            }
        }
    }

    // MARK: Properties

    /// The performed effects of the machine.
    struct World {
        var running: [String: Int] = [:]
        var records = DownloadTable()

        init(_ machine: DownloadMachine) {
            self.records = machine.table
            for id in machine.table.order {
                if let run = machine.run(of: id) { self.running[id] = run }
            }
        }

        mutating func take(_ effects: [DownloadMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .start(let id, let run):
                    #expect(self.running[id] == nil)
                    self.running[id] = run
                case .stop(let id): #expect(self.running.removeValue(forKey: id) != nil)
                case .record(let record):
                    // The record is encoded and decoded, as when the queue reads it from the file.
                    guard let read = DownloadRecord(record.encoded) else {
                        Issue.record("\(record) cannot be read")
                        continue
                    }
                    self.records.apply(read)
                case .unpin, .deleteBytes, .wake, .tell: break
                }
            }
        }

        mutating func ended(_ event: DownloadMachine.Event) {
            switch event {
            case .finished(let id, let run), .broke(let id, let run, _):
                if self.running[id] == run { self.running[id] = nil }
            default: break
            }
        }

        func check(_ machine: DownloadMachine, _ place: String) {
            // A crash at this moment: the records give the same queue.
            #expect(self.records == machine.table, "\(place)")
            for id in machine.table.order {
                let state = machine.state(of: id)
                #expect(state != nil, "\(place)")
                #expect((state == .running) == (machine.run(of: id) != nil), "\(place)")
            }
            let count = machine.table.order.count { machine.run(of: $0) != nil }
            #expect(machine.settings.mayFetch || count == 0, "\(place)")
            // No download that may run waits while there is room.
            let isIdle = count < max(1, machine.settings.maximumRunning)
            let isQueued = machine.table.order.contains { machine.state(of: $0) == .queued }
            #expect(!(isIdle && isQueued), "\(place)")
        }
    }

    @Test("the records always give the same queue, and runs are bounded", arguments: 1...30)
    func properties(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = DownloadMachine()
        var world = World(machine)
        var now = Duration.zero
        for step in 0..<400 {
            now += .milliseconds(Int.random(in: 0...4000, using: &generator))
            let number = Int.random(in: 0..<6, using: &generator)
            let id = Self.id(number)
            let run = machine.run(of: id) ?? Int.random(in: 0..<9, using: &generator)
            var settings = machine.settings
            settings.isConnected = Bool.random(using: &generator)
            settings.maximumRunning = Int.random(in: -1...3, using: &generator)
            let events: [DownloadMachine.Event] = [
                .added(Self.key(number), isPinned: true), .added(Self.key(number), isPinned: false),
                .paused(id), .resumed(id), .allPaused, .allResumed,
                .moved(id, to: Int.random(in: -1...7, using: &generator)),
                .removed(id, deletingBytes: false), .set(settings), .sourceLent(id),
                .sourceLent(id), .sourceTakenBack(id), .pinning(id, run: run),
                .progressed(id, run: run), .finished(id, run: run),
                .broke(id, run: run, .network(Self.failure)),
                .broke(id, run: run, .space(Self.failure)), .broke(id, run: run, .sourceGone),
                .broke(id, run: run, .changed(Self.failure)),
                .broke(id, run: run, .final(Self.failure)), .lost(id), .spaceFreed, .timePassed,
                .timePassed, .sourceFailed(id, Self.failure),
            ]
            guard let event = events.randomElement(using: &generator) else { continue }
            world.ended(event)
            world.take(machine.handle(event, at: now))
            world.check(machine, "seed \(seed), step \(step), \(event)")
            if Int.random(in: 0..<60, using: &generator) == 0 {
                // A restart: running downloads and lent origins are gone, and the records are unchanged.
                let before = machine.table
                machine = DownloadMachine(world.records)
                world = World(machine)
                #expect(machine.table == before, "seed \(seed), step \(step)")
                for id in machine.table.order {
                    #expect(machine.state(of: id) != .running, "seed \(seed), step \(step)")
                }
            }
        }
    }
}
