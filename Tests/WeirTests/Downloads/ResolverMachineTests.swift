// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import Weir

@Suite("The downloads for which the closure is called")
struct ResolverMachineTests {
    /// A machine for downloads with short names; it returns its effects as lines.
    private struct Scene {
        var machine = ResolverMachine()
        /// The number of the last request for each download's medium.
        var askings: [String: Int] = [:]

        init(isOpen: Bool = true) { if isOpen { _ = self.machine.handle(.closureSet) } }

        mutating func callAsFunction(_ event: ResolverMachine.Event) -> [String] {
            self.machine.handle(event).map { effect in
                switch effect {
                case .ask(let download, let number):
                    self.askings[download.id] = number
                    return "ask \(download.id)"
                case .cancel(let id): return "cancel \(id)"
                }
            }
        }

        mutating func list(
            _ ids: String,
            others: [Download] = [],
            lent: String = "",
            room: Int = .max
        ) -> [String] {
            let waiting = ids.map { ResolverMachineTests.download("\($0)", .waiting(.source)) }
            return self(.listed(waiting + others, lent: Set(lent.map { "\($0)" }), room: room))
        }

        mutating func end(_ id: String, hasMedium: Bool = false) -> [String] {
            self(.returned(id, asking: self.askings[id] ?? 0, hasMedium: hasMedium))
        }

        mutating func delay(_ id: String) -> [String] {
            self(.delayed(id, asking: self.askings[id] ?? 0))
        }
    }

    private static func download(_ id: String, _ state: Download.State) -> Download {
        Download(id: id, display: id, state: state, heldByteCount: 0, length: nil)
    }

    @Test("four calls run at once, in the order of the queue, and each download once")
    func order() {
        var scene = Scene()
        #expect(scene.list("abcdef") == ["ask a", "ask b", "ask c", "ask d"])
        #expect(scene.list("abcdef").isEmpty)
        #expect(scene.end("b") == ["ask e"])
        #expect(scene.end("a") == ["ask f"])
        #expect(scene.list("abcdef").isEmpty)
        #expect(["c", "d", "e", "f"].flatMap { scene.end($0) }.isEmpty)
        #expect(scene.list("abcdefg") == ["ask g"])
    }

    @Test("calls that never return delay only their own downloads")
    func delays() {
        var scene = Scene()
        _ = scene.list("abcdefghij")
        #expect(scene.delay("a") == ["ask e"])
        #expect(scene.delay("a").isEmpty)
        #expect(
            ["b", "c", "d", "e"].flatMap { scene.delay($0) }
                == ["f", "g", "h", "i"].map { "ask \($0)" }
        )
        // A late return starts no other call: the delay has already done so.
        #expect(scene.end("a").isEmpty)
        #expect(scene.end("f") == ["ask j"])
    }

    @Test("lent media cause no call, and a running download causes one when it waits again")
    func lent() {
        var scene = Scene()
        #expect(scene.list("ab", lent: "a") == ["ask b"])
        let running = [Self.download("b", .running)]
        #expect(scene.list("", others: running).isEmpty)
        #expect(scene.end("b", hasMedium: true).isEmpty)
        #expect(scene.list("", others: running).isEmpty)
        #expect(scene.list("b") == ["ask b"])
    }

    @Test(
        "a call is cancelled when its download is removed, paused or finished",
        arguments: [nil, .paused, .finished, .failed(SourceError(.forbidden, "No."))]
            as [Download.State?]
    )
    func cancelling(_ state: Download.State?) {
        var scene = Scene()
        #expect(scene.list("abcde") == ["ask a", "ask b", "ask c", "ask d"])
        let others = state.map { [Self.download("a", $0)] } ?? []
        #expect(scene.list("bcde", others: others) == ["cancel a", "ask e"])
        // The machine ignores the cancelled request, and asks again when the download waits again.
        #expect(scene.end("a").isEmpty && scene.delay("a").isEmpty)
        #expect(scene.end("b").isEmpty)
        #expect(scene.list("abcde") == ["ask a"])
    }

    @Test("a resumed download causes another call, once no call for it runs")
    func resuming() {
        var scene = Scene()
        #expect(scene.list("a") == ["ask a"])
        #expect(scene.end("a").isEmpty)
        // The machine already asked because of this resumption.
        #expect(scene(.resumed("a", after: 0)).isEmpty)
        #expect(scene(.resumed("a", after: 1)) == ["ask a"])
        #expect(scene(.resumed("b", after: 9)).isEmpty)
        // The closure may have decided its result before the download was resumed.
        #expect(scene(.resumed("a", after: 2)).isEmpty)
        #expect(scene.end("a") == ["ask a"])
        #expect(scene.end("a").isEmpty)
        // A medium from before the resumption is still valid.
        #expect(scene(.resumed("a", after: 3)) == ["ask a"])
        #expect(scene(.resumed("a", after: 4)).isEmpty)
        #expect(scene.end("a", hasMedium: true).isEmpty)
        #expect(scene.list("a").isEmpty)
    }

    @Test("a new closure is called for all downloads at once, and the old closure no longer is")
    func replacing() {
        var scene = Scene(isOpen: false)
        #expect(scene.list("ab").isEmpty)
        #expect(scene(.closureSet) == ["ask a", "ask b"])
        #expect(scene.end("a").isEmpty)
        #expect(scene(.closureSet) == ["cancel b", "ask a", "ask b"])
        #expect(scene(.closed) == ["cancel a", "cancel b"])
        #expect(scene.list("abc").isEmpty)
    }

    @Test("the closure makes no more media than can be lent")
    func room() {
        var scene = Scene()
        #expect(scene.list("abcd", room: 2) == ["ask a", "ask b"])
        // A request that ends without a medium leaves its room to the next download.
        #expect(scene.end("a") == ["ask c"])
        #expect(scene.end("b", hasMedium: true).isEmpty)
        #expect(scene.list("acd", lent: "b", room: 1).isEmpty)
        #expect(scene.list("acd", lent: "b", room: 2) == ["ask d"])
        var full = Scene(isOpen: false)
        #expect(full.list("ab", room: 0).isEmpty)
        #expect(full(.closureSet).isEmpty)
    }

    @Test("few calls run at once and none twice, whatever happens", arguments: 1...20)
    func properties(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = ResolverMachine()
        var running: [String: (number: Int, isDelayed: Bool)] = [:]
        let ids = (0..<12).map { "\($0)" }
        for step in 0..<500 {
            let id = ids.randomElement(using: &generator) ?? "0"
            let number = running[id]?.number ?? Int.random(in: 0..<9, using: &generator)
            let states: [Download.State] = [
                .waiting(.source), .waiting(.source), .waiting(.source), .running, .paused,
            ]
            let list = ids.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }.map {
                Self.download($0, states.randomElement(using: &generator) ?? .queued)
            }
            let event: ResolverMachine.Event =
                switch Int.random(in: 0..<40, using: &generator) {
                case 0: .closed
                case 1, 2: .closureSet
                case 3..<12: .listed(list, lent: [id], room: .max)
                case 12..<16: .resumed(id, after: Int.random(in: 0..<500, using: &generator))
                case 16..<26: .delayed(id, asking: number)
                default: .returned(id, asking: number, hasMedium: step.isMultiple(of: 2))
                }
            switch event {
            case .returned(let id, let number, _) where running[id]?.number == number:
                running[id] = nil
            case .delayed(let id, let number) where running[id]?.number == number:
                running[id]?.isDelayed = true
            default: break
            }
            for effect in machine.handle(event) {
                switch effect {
                case .ask(let download, let number):
                    #expect(running[download.id] == nil, "seed \(seed), step \(step)")
                    running[download.id] = (number, false)
                case .cancel(let id):
                    #expect(running.removeValue(forKey: id) != nil, "seed \(seed), step \(step)")
                }
            }
            let count = running.values.count { !$0.isDelayed }
            #expect(count <= ResolverMachine.maximumRunning, "seed \(seed), step \(step)")
            for (id, asking) in running {
                #expect(machine.isRunning(id, asking: asking.number), "seed \(seed), step \(step)")
            }
        }
    }
}
