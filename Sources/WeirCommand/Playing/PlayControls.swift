// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirPlayback

/// Does what keys mean.
final class PlayControls: Sendable {
    private let player: Player
    private let things: [PlayThing]
    /// Where recordings go.
    private let folder: String
    private let isReplacing: Bool
    private let front: any PlayFront
    private let recording = Mutex<(recording: StationRecording, item: Int)?>(nil)
    /// Tells what the recording does; owned here, ends with the recording, which ``endRecording()`` stops.
    private let telling = Mutex<Task<Void, Never>?>(nil)

    init(
        _ player: Player,
        things: [PlayThing],
        folder: String,
        isReplacing: Bool,
        front: any PlayFront
    ) {
        self.player = player
        self.things = things
        self.folder = folder
        self.isReplacing = isReplacing
        self.front = front
    }

    /// Does what a key means; what has no meaning now is left.
    func press(_ key: PlayerKey) async {
        switch key {
        case .pauseOrResume:
            if self.player.snapshot.state == .paused {
                self.player.resume()
            } else {
                self.player.pause()
            }
        case .seek(let seconds): self.player.seek(by: .seconds(seconds))
        case .louder(let hundredths):
            let now = (self.player.snapshot.volume * 100).rounded()
            self.player.setVolume(min(100, max(0, now + Double(hundredths))) / 100)
            self.player.setMuted(false)
        case .next: self.player.next()
        case .previous: self.player.previous()
        case .live: self.player.goLive()
        case .record:
            if self.recording.withLock({ $0 != nil }) {
                await self.endRecording()
            } else {
                self.record()
            }
        case .mute: self.player.setMuted(!self.player.snapshot.isMuted)
        case .help: (self.front as? TerminalFront)?.toggleHelp()
        case .quit: self.player.stop()
        }
    }

    /// Records the station that plays, into files that are split at titles.
    func record() {
        let index = self.player.snapshot.itemIndex ?? 0
        guard self.things.indices.contains(index), let station = self.things[index].station else {
            self.front.note("Only radio stations are recorded; weir get downloads a file.")
            return
        }
        do {
            // From what is heard, which lies behind what comes in.
            let start = StationStart.behind(self.player.snapshot.behindLive ?? .zero)
            let recording = try station.record(
                into: self.folder,
                from: start,
                isReplacing: self.isReplacing
            )
            let events = recording.events()
            self.recording.withLock { $0 = (recording, index) }
            let front = self.front
            let task = Task { for await event in events { front.tell(event) } }
            self.telling.withLock { $0 = task }
        } catch {
            self.front.note("\(error)")
        }
    }

    /// Another item plays: a recording of the one before ends, and where all is to be recorded another begins.
    func itemStarted(_ index: Int, isRecording: Bool) async {
        if let item = self.recording.withLock({ $0?.item }) {
            guard item != index else { return }
            await self.endRecording()
        }
        let isStation = self.things.indices.contains(index) && self.things[index].station != nil
        if isRecording, isStation { self.record() }
    }

    /// Ends the recording, if there is one; returns when its last file is whole and was told.
    func endRecording() async {
        let recording = self.recording.withLock { state in
            defer { state = nil }
            return state?.recording
        }
        await recording?.stop()
        let telling = self.telling.withLock { task in
            defer { task = nil }
            return task
        }
        await telling?.value
    }
}
