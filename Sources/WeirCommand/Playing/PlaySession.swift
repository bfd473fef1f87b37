// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirLive
import WeirPlayback
import WeirSource

/// Plays a queue to its end, or until the user or a signal stops it.
///
/// The session performs the effects of a ``PlayMachine``.
actor PlaySession {
    /// The settings of the session.
    struct Plan: Sendable {
        var entries: [PlayerItem]
        /// From 0 to 1; `nil` leaves the player's volume.
        var volume: Double?
        /// The length of sound to play; `nil` for all.
        var length: Duration?
        /// Raised when the wanted length has been played; `nil` without a limit.
        var lengthReached: Signal?
        /// The folder for recordings of all stations.
        ///
        /// With `nil`, only a key starts a recording, into the current folder.
        var recordingFolder: String?
        /// Whether recordings replace files of the same name; otherwise new files get numbers.
        var isReplacing = false
        /// Whether playback starts again at the end.
        var repeats = false
        /// The file of remembered positions; `nil` to remember none.
        var positions: PositionsFile?
    }

    private let player: Player
    private let display: any PlayDisplay
    private let signals: Signals
    /// SIGTSTP, SIGCONT and SIGQUIT; `nil` if the display does not use the terminal.
    private let holds: Signals?
    private let plan: Plan
    private var machine: PlayMachine
    private var keeper: PositionKeeper?
    /// The recording, and the task that reports its events and ends with it.
    private var recording: (station: StationRecording, telling: Task<Void, Never>)?
    /// The pending effects on recordings, which are performed in order.
    private var recordingEffects: [PlayMachine.Effect] = []
    private var isChangingRecording = false

    init(
        _ player: Player,
        _ display: any PlayDisplay,
        _ signals: Signals,
        _ holds: Signals?,
        _ plan: Plan
    ) {
        self.player = player
        self.display = display
        self.signals = signals
        self.holds = holds
        self.plan = plan
        self.machine = PlayMachine(
            isStation: plan.entries.map { $0.station != nil },
            recordsAll: plan.recordingFolder != nil,
            repeats: plan.repeats
        )
        self.keeper = plan.positions.map {
            PositionKeeper(plan.entries.map(\.positionDigest), file: $0)
        }
    }

    /// Plays the queue.
    ///
    /// - Returns: how playback ended. The sink is then closed, and recordings are complete.
    func run() async -> PlayMachine.Ending {
        let events = self.player.events()
        if let volume = self.plan.volume { self.player.volume = volume }
        self.player.play(self.plan.entries)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.obeySignals() }
            group.addTask { await self.checkEverySecond() }
            if let lengthReached = self.plan.lengthReached {
                group.addTask { await self.obey(lengthReached) }
            }
            if self.display.isInteractive {
                group.addTask { await self.obeyKeys() }
                group.addTask { await self.obeyTerminal() }
                group.addTask { await self.draw() }
            }
            // The player's last event is that it has stopped.
            for await event in events {
                self.display.tell(event, self.player.snapshot, stoppedBy: self.machine.stopReason)
                await self.perform(self.machine.told(event))
                if self.machine.isOver { break }
            }
            _ = await self.player.waitUntilStopped()
            group.cancelAll()
        }
        await self.endRecording()
        let snapshot = self.player.snapshot
        self.keeper?.note(snapshot, isLast: true)
        self.display.end(snapshot)
        return self.machine.ending(snapshot)
    }

    // MARK: Events

    private func obeyKeys() async {
        for await key in TerminalKey.stream() {
            let effects = self.machine.pressed(key, self.player.snapshot)
            guard !effects.isEmpty else { continue }
            await self.perform(effects)
            self.display.draw(self.player.snapshot)
        }
    }

    private func obeySignals() async {
        for await signal in self.signals.stream() {
            await self.perform(self.machine.asked(toEndBy: signal))
        }
    }

    private func obey(_ lengthReached: Signal) async {
        guard (try? await lengthReached.wait(after: 0)) != nil else { return }
        await self.perform(self.machine.reachedLength())
    }

    /// Restores the terminal while the program is suspended; Ctrl-\ ends the session.
    private func obeyTerminal() async {
        guard let holds else { return }
        for await signal in holds.stream() {
            switch signal {
            case SIGTSTP:
                self.display.stepAside()
                kill(getpid(), SIGSTOP)
            case SIGCONT: self.display.comeBack(self.player.snapshot)
            default: await self.perform(self.machine.asked(toEndBy: signal))
            }
        }
    }

    private func checkEverySecond() async {
        let start = ContinuousClock.now
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let snapshot = self.player.snapshot
            self.keeper?.note(snapshot)
            let item = snapshot.itemIndex
            let station = self.entry(item ?? 0)?.station
            if let station, let length = self.plan.length, ContinuousClock.now - start >= length {
                await self.perform(
                    self.machine.lengthPassed(
                        of: station.name,
                        after: station.status.reason,
                        hasAnswered: station.status.info != nil
                    )
                )
            }
            await self.perform(self.machine.found(trouble: station?.timeShiftTrouble, ofItem: item))
        }
    }

    private func draw() async {
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            self.display.draw(self.player.snapshot)
        }
    }

    // MARK: Effects

    private func perform(_ effects: [PlayMachine.Effect]) async {
        for effect in effects {
            switch effect {
            case .pause: self.player.pause()
            case .resume: self.player.resume()
            case .seek(let distance): self.player.seek(by: distance)
            case .setVolume(let volume): self.player.volume = volume
            case .setMuted(let isMuted): self.player.isMuted = isMuted
            case .next: self.player.next()
            case .previous: self.player.previous()
            case .goLive: self.player.goLive()
            case .stop:
                // End the recording first: a stopped player no longer reports its position.
                self.recording?.station.end()
                self.player.stop()
            case .playAgain:
                self.player.play(
                    self.plan.entries.map { entry in
                        var entry = entry
                        entry.start = .zero
                        return entry
                    }
                )
            case .beginRecording, .endRecording: await self.changeRecording(effect)
            case .toggleHelp: self.display.toggleHelp()
            case .note(let line): self.display.note(line)
            case .exit:
                self.display.stepAside()
                exit(ExitStatus.interrupted.rawValue)
            }
        }
    }

    /// Starts or ends a recording, after all earlier effects on recordings.
    ///
    /// Ending a recording takes a while. Meanwhile, a key or the next item may change the recording
    /// again, and other effects do not wait.
    private func changeRecording(_ effect: PlayMachine.Effect) async {
        self.recordingEffects.append(effect)
        guard !self.isChangingRecording else { return }
        self.isChangingRecording = true
        while !self.recordingEffects.isEmpty {
            if case .beginRecording(let item) = self.recordingEffects.removeFirst() {
                await self.beginRecording(item)
            } else {
                await self.endRecording()
            }
        }
        self.isChangingRecording = false
    }

    private func entry(_ index: Int) -> PlayerItem? {
        self.plan.entries.indices.contains(index) ? self.plan.entries[index] : nil
    }

    private func beginRecording(_ item: Int) async {
        guard let station = self.entry(item)?.station else { return }
        do {
            // The recording follows the heard sound, which is behind the arriving sound.
            let recording = try station.record(
                into: URL(filePath: self.plan.recordingFolder ?? "."),
                isReplacing: self.plan.isReplacing
            ) { [player] in player.stationTime }
            let events = recording.events()
            // This session owns the task; it ends with the recording.
            let telling = Task { for await event in events { self.told(event) } }
            self.recording = (recording, telling)
        } catch {
            await self.perform(self.machine.recordingFailed(ofItem: item, error.ownerSentence))
        }
    }

    private func told(_ event: RecordingEvent) {
        self.display.tell(event)
        if case .failed(let sentence) = event { self.machine.recordingBroke(sentence) }
    }

    /// Ends the recording, if there is one; returns when its last file is complete and reported.
    private func endRecording() async {
        guard let recording else { return }
        self.recording = nil
        await recording.station.stop()
        await recording.telling.value
    }
}
