// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirLive
import WeirPlayback

/// Plays a queue to its end, or until the user or a signal ends it.
struct PlaySession: Sendable {
    /// How it is played.
    struct Plan: Sendable {
        var things: [PlayThing]
        /// From 0 to 1; `nil`: as the player has it.
        var volume: Double?
        /// Where all stations are recorded; `nil`: only on a key, into the folder where we are.
        var recordingFolder: String?
        /// Whether recordings of the same name are replaced; otherwise the new ones get numbers.
        var isReplacing = false
        /// Where positions are remembered; `nil`: nowhere.
        var positions: PositionFile?
    }

    /// How it ended.
    enum Ending: Sendable {
        /// By itself, or by a key.
        case over(PlayerSnapshot)
        /// By itself, though something of the queue could not be played: the first such failure.
        case incomplete(PlayerFailure)
        /// By a signal.
        case signal(Int32)
    }

    private enum Part: Sendable {
        case stopped
        case told(PlayerFailure?)
        case second
        case side
        case signal(Int32)
    }

    let player: Player
    let front: any PlayFront
    let signals: SignalBoard
    let plan: Plan

    /// Plays.
    ///
    /// - Returns: how it ended; the sink is closed then, and recordings are whole.
    func run() async -> Ending {
        let controls = PlayControls(
            self.player,
            things: self.plan.things,
            folder: self.plan.recordingFolder ?? ".",
            isReplacing: self.plan.isReplacing,
            front: self.front
        )
        let events = self.player.events()
        if let volume = self.plan.volume { self.player.setVolume(volume) }
        self.player.play(self.plan.things.map(\.item))
        var keeper = self.plan.positions.map { PositionKeeper(self.plan.things, file: $0) }
        var signal: Int32?
        var failure: PlayerFailure?
        await withTaskGroup(of: Part.self) { group in
            group.addTask { await self.listen(to: events, controls) }
            group.addTask {
                _ = await self.player.waitUntilStopped()
                return .stopped
            }
            group.addTask { await self.obeySignals() }
            group.addTask { await self.obeyHolds() }
            group.addTask { await self.draw() }
            if self.front is TerminalFront {
                group.addTask { await self.obeyKeys(controls) }
            }
            group.addTask { await self.look() }
            var (isStopped, isTold) = (false, false)
            var troubled = Set<Int>()
            while let part = await group.next() {
                switch part {
                case .signal(let number):
                    signal = number
                    self.player.stop()
                    // Who asks twice does not wait.
                    group.addTask { await self.endAtOnce() }
                case .side: continue
                case .second:
                    keeper?.look(self.player.snapshot)
                    if let trouble = self.newTrouble(&troubled) { self.front.note(trouble) }
                    if !isStopped { group.addTask { await self.look() } }
                case .stopped:
                    isStopped = true
                    if isTold { group.cancelAll() }
                    // What was told last is there already, or lost.
                    group.addTask {
                        try? await Task.sleep(for: .seconds(1))
                        return .told(nil)
                    }
                case .told(let first):
                    isTold = true
                    failure = failure ?? first
                    if isStopped { group.cancelAll() }
                }
            }
        }
        await controls.endRecording()
        let snapshot = self.player.snapshot
        keeper?.look(snapshot, isLast: true)
        if let signal { return .signal(signal) }
        // Who quits has heard enough, whatever could not be played.
        guard snapshot.stopReason == .endOfStream, let failure else { return .over(snapshot) }
        return .incomplete(failure)
    }

    /// Shows what happens, to the end of it; gives the first failure of an item.
    private func listen(to events: AsyncStream<PlayerEvent>, _ controls: PlayControls) async -> Part
    {
        var failure: PlayerFailure?
        for await event in events {
            if case .itemFailed(_, let first) = event { failure = failure ?? first }
            self.front.tell(event, self.player.snapshot)
            if case .itemStarted(let index, _) = event {
                await controls.itemStarted(
                    index,
                    isRecording: self.plan.recordingFolder != nil
                )
            }
            if case .stateChanged(.stopped, let reason, _) = event, reason != .temporary { break }
        }
        return .told(failure)
    }

    private func obeyKeys(_ controls: PlayControls) async -> Part {
        for await key in KeyStream.keys() {
            guard let meaning = PlayerKey(key) else { continue }
            await controls.press(meaning)
            (self.front as? TerminalFront)?.draw(self.player.snapshot)
        }
        return .side
    }

    /// Waits a second.
    private func look() async -> Part {
        try? await Task.sleep(for: .seconds(1))
        return .second
    }

    /// What keeps a station's time shift from the disk, told once for each.
    private func newTrouble(_ troubled: inout Set<Int>) -> String? {
        guard let index = self.player.snapshot.itemIndex, self.plan.things.indices.contains(index),
            let trouble = self.plan.things[index].station?.timeShiftTrouble,
            troubled.insert(index).inserted
        else { return nil }
        return trouble
    }

    private func draw() async -> Part {
        guard let terminal = self.front as? TerminalFront else { return .side }
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            terminal.draw(self.player.snapshot)
        }
        return .side
    }

    /// Waits for a signal that ends the program.
    private func obeySignals() async -> Part {
        for await signal in self.signals.stream() { return .signal(signal) }
        return .side
    }

    /// Gives the terminal back while the program is held, and takes it again.
    private func obeyHolds() async -> Part {
        guard let terminal = self.front as? TerminalFront else { return .side }
        for await signal in Signals.stream([SIGTSTP, SIGCONT]) {
            if signal == SIGTSTP {
                terminal.stepAside()
                kill(getpid(), SIGSTOP)
            } else {
                terminal.comeBack(self.player.snapshot)
            }
        }
        return .side
    }

    private func endAtOnce() async -> Part {
        for await _ in self.signals.stream() {
            (self.front as? TerminalFront)?.stepAside()
            exit(ExitStatus.interrupted.rawValue)
        }
        return .side
    }
}
