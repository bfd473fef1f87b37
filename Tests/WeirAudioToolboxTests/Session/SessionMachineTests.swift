// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudioToolbox

@Suite("The effects of a session on a player")
struct SessionMachineTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let state: SessionMachine.State
        let event: SessionEvent
        let userHolds: Bool
        let effects: [SessionEffect]
        let next: SessionMachine.State

        var testDescription: String { "\(self.state) \(self.event) \(self.userHolds)" }
    }

    private static let unplugged = SessionEvent.routeChanged(.oldDeviceUnavailable)

    /// Each pair of state and event, its effects while the user lets the player play, its effects while the user holds
    /// the player, and the next state.
    private static let table:
        [(
            SessionMachine.State, SessionEvent, [SessionEffect], [SessionEffect],
            SessionMachine.State
        )] = [
            (.free, .interruptionBegan, [.hold], [.hold], .interrupted),
            (.free, .interruptionEnded(shouldResume: true), [], [], .free),
            (.free, .interruptionEnded(shouldResume: false), [], [], .free),
            (.free, unplugged, [.pause], [], .free),
            (.free, .routeDisconnected, [.pause], [], .free),
            (.free, .mediaServicesLost, [.hold], [.hold], .lost),
            (
                .free, .mediaServicesReset, [.configure, .activate, .renewSink],
                [.configure, .renewSink], .free
            ),
            (.interrupted, .interruptionBegan, [], [], .interrupted),
            (
                .interrupted, .interruptionEnded(shouldResume: true),
                [.activate, .release(resumes: true)], [.release(resumes: false)], .free
            ),
            (
                .interrupted, .interruptionEnded(shouldResume: false), [.release(resumes: false)],
                [.release(resumes: false)], .free
            ),
            (.interrupted, unplugged, [], [], .interruptedAndUnplugged),
            (.interrupted, .routeDisconnected, [], [], .interruptedAndUnplugged),
            (.interrupted, .mediaServicesLost, [], [], .lostAndSilent),
            (
                .interrupted, .mediaServicesReset,
                [.configure, .renewSink, .release(resumes: false)],
                [.configure, .renewSink, .release(resumes: false)], .free
            ),
            (.interruptedAndUnplugged, .interruptionBegan, [], [], .interruptedAndUnplugged),
            (
                .interruptedAndUnplugged, .interruptionEnded(shouldResume: true),
                [.release(resumes: false)], [.release(resumes: false)], .free
            ),
            (
                .interruptedAndUnplugged, .interruptionEnded(shouldResume: false),
                [.release(resumes: false)], [.release(resumes: false)], .free
            ),
            (.interruptedAndUnplugged, unplugged, [], [], .interruptedAndUnplugged),
            (.interruptedAndUnplugged, .routeDisconnected, [], [], .interruptedAndUnplugged),
            (.interruptedAndUnplugged, .mediaServicesLost, [], [], .lostAndSilent),
            (
                .interruptedAndUnplugged, .mediaServicesReset,
                [.configure, .renewSink, .release(resumes: false)],
                [.configure, .renewSink, .release(resumes: false)], .free
            ),
            (.lost, .interruptionBegan, [], [], .lost),
            (.lost, .interruptionEnded(shouldResume: true), [], [], .lost),
            (.lost, .interruptionEnded(shouldResume: false), [], [], .lost),
            (.lost, unplugged, [], [], .lostAndSilent),
            (.lost, .routeDisconnected, [], [], .lostAndSilent),
            (.lost, .mediaServicesLost, [], [], .lost),
            (
                .lost, .mediaServicesReset,
                [.configure, .activate, .renewSink, .release(resumes: true)],
                [.configure, .renewSink, .release(resumes: false)], .free
            ),
            (.lostAndSilent, .interruptionBegan, [], [], .lostAndSilent),
            (.lostAndSilent, .interruptionEnded(shouldResume: true), [], [], .lostAndSilent),
            (.lostAndSilent, .interruptionEnded(shouldResume: false), [], [], .lostAndSilent),
            (.lostAndSilent, unplugged, [], [], .lostAndSilent),
            (.lostAndSilent, .routeDisconnected, [], [], .lostAndSilent),
            (.lostAndSilent, .mediaServicesLost, [], [], .lostAndSilent),
            (
                .lostAndSilent, .mediaServicesReset,
                [.configure, .renewSink, .release(resumes: false)],
                [.configure, .renewSink, .release(resumes: false)], .free
            ),
        ]

    static let cases = table.flatMap { state, event, free, held, next in
        [
            Case(state: state, event: event, userHolds: false, effects: free, next: next),
            Case(state: state, event: event, userHolds: true, effects: held, next: next),
        ]
    }

    @Test("every pair of state and event has one result", arguments: cases)
    func pairs(_ one: Case) {
        var machine = SessionMachine(state: one.state)
        #expect(machine.handle(one.event, userHolds: one.userHolds) == one.effects)
        #expect(machine.state == one.next)
    }

    @Test("the table has all pairs: five states, seven events, with and without the user")
    func complete() {
        #expect(Self.cases.count == SessionMachine.State.allCases.count * 7 * 2)
        let keys = Set(Self.cases.map(\.testDescription))
        #expect(keys.count == Self.cases.count)
    }

    @Test(
        "no other route change has an effect, in any state",
        arguments: SessionMachine.State.allCases,
        RouteChange.allCases.filter { $0 != .oldDeviceUnavailable }
    )
    func otherRoutes(_ state: SessionMachine.State, _ change: RouteChange) {
        for userHolds in [false, true] {
            var machine = SessionMachine(state: state)
            #expect(machine.handle(.routeChanged(change), userHolds: userHolds) == [])
            #expect(machine.state == state)
        }
    }

    private static let states = SessionMachine.State.allCases

    @Test("a player that wants sound activates its session once, unless the media server is lost")
    func sounds() {
        for state in Self.states {
            for userHolds in [false, true] {
                var machine = SessionMachine(state: state)
                let isLost = state == .lost || state == .lostAndSilent
                let effects = machine.handle(.needChanged(.sound), userHolds: userHolds)
                #expect(effects == (isLost ? [] : [.activate]))
                #expect(machine.state == (isLost ? state : .free))
                #expect(machine.handle(.needChanged(.sound), userHolds: userHolds) == [])
            }
        }
    }

    @Test("the session is released once when the player has stopped, and a pause keeps it")
    func stops() {
        var machine = SessionMachine(isActive: true)
        #expect(machine.handle(.needChanged(.silence), userHolds: true) == [])
        #expect(machine.isActive)
        #expect(machine.handle(.needChanged(.none), userHolds: true) == [.deactivate])
        #expect(machine.handle(.needChanged(.none), userHolds: true) == [])
        #expect(machine.handle(.needChanged(.sound), userHolds: false) == [.activate])
        #expect(machine.handle(.activated(false), userHolds: false) == [])
        #expect(machine.handle(.needChanged(.sound), userHolds: false) == [.activate])
    }

    @Test(
        "after an event that ends the session, the next sound activates it",
        arguments: [
            [SessionEvent.interruptionBegan, .interruptionEnded(shouldResume: false)],
            [.interruptionBegan], [.routeDisconnected], [.mediaServicesLost, .mediaServicesReset],
        ]
    )
    func takenAway(_ events: [SessionEvent]) {
        var machine = SessionMachine(isActive: true)
        for event in events { _ = machine.handle(event, userHolds: true) }
        #expect(!machine.isActive)
        #expect(machine.handle(.needChanged(.none), userHolds: true) == [])
        #expect(machine.handle(.needChanged(.sound), userHolds: false) == [.activate])
    }

    @Test("in no sequence of five events does sound play that the user or the headphones forbid")
    func neverAgainstTheUser() {
        let events: [SessionEvent] = [
            .interruptionBegan, .interruptionEnded(shouldResume: true),
            .interruptionEnded(shouldResume: false), Self.unplugged, .routeDisconnected,
            .mediaServicesLost, .mediaServicesReset,
        ]
        var resumed = 0
        for number in 0..<16_807 {
            var machine = SessionMachine()
            // A player that the machine's effects control; the user only listens.
            var isHeld = false
            var isPaused = false
            var isUnplugged = false
            var isRight = true
            var rest = number
            for _ in 0..<5 {
                let event = events[rest % 7]
                rest /= 7
                isUnplugged = isUnplugged || event == Self.unplugged || event == .routeDisconnected
                for effect in machine.handle(event, userHolds: isPaused) {
                    switch effect {
                    case .hold:
                        isRight = isRight && !isHeld
                        isHeld = true
                    case .release(let resumes):
                        isRight = isRight && isHeld && !(resumes && (isUnplugged || isPaused))
                        isHeld = false
                        isPaused = !resumes
                        resumed += resumes ? 1 : 0
                    case .pause: isPaused = true
                    case .configure, .activate, .deactivate, .renewSink: break
                    }
                }
            }
            // The machine holds the player in every state but `free`; each of these states has an event that releases
            // the player.
            #expect(isRight && isHeld == (machine.state != .free), "way \(number)")
        }
        #expect(resumed > 0)
    }
}
