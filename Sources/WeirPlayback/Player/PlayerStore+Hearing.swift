// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio
internal import WeirLive

extension PlayerStore {
    /// Where the player is, for commands that begin elsewhere.
    var situation: PlayerSituation {
        PlayerSituation(
            items: self.items,
            index: self.face.index ?? self.place.index,
            position: self.ledger.position,
            duration: self.face.duration,
            behindLive: self.face.look.behindLive.map {
                $0 + .seconds(self.queue.seconds) + self.delay
            }
        )
    }

    /// All that can be said.
    var snapshot: PlayerSnapshot {
        var snapshot = self.face.snapshot
        snapshot.itemNames = self.itemNames
        snapshot.state = self.machine.state
        snapshot.stopReason = self.machine.stopReason
        snapshot.failure = self.machine.failure
        snapshot.generation = self.machine.generation
        snapshot.underruns = self.machine.underruns
        snapshot.position = self.ledger.position
        snapshot.buffered = .seconds(self.queue.seconds) + self.delay
        snapshot.bufferTarget = .seconds(self.machine.bufferTarget)
        if let behind = snapshot.behindLive { snapshot.behindLive = behind + snapshot.buffered }
        return snapshot
    }

    /// The sink has so much left to play.
    ///
    /// - Returns: whether anything is heard that was not before.
    mutating func hear(delay: Duration) -> Bool {
        self.delay = delay
        let before = self.ledger.position
        let due = self.ledger.advance(delay: delay)
        for mark in due { self.heard(mark) }
        if self.ledger.heard >= .seconds(1) { self.deviceChanges = 0 }
        return before != self.ledger.position || !due.isEmpty
    }

    /// The sink is opened anew, and what is heard goes on.
    mutating func changeDevice() {
        self.place = self.situation.here
        self.arrange(self.machine.deviceChanged())
    }

    /// A station's connection does something else.
    mutating func changed(_ status: StationStatus) {
        self.face.look.station = status
        self.tell(.stationChanged(status))
        let isLost = status.phase != .live && status.reason != nil
        self.arrange(self.machine.connectionChanged(isLost: isLost, self.run.generation))
        self.arrange([.publish])
    }

    /// An item cannot be played: the next is, or none.
    mutating func failed(_ failure: PlayerFailure, at index: Int) {
        self.tell(.itemFailed(index: index, failure))
        guard self.items.indices.contains(index + 1) else {
            self.arrange(self.machine.failed(failure, self.run.generation))
            return
        }
        self.place = PlayerPlace(index: index + 1, spot: .start, shown: .zero)
        self.arrange(self.machine.seek().1)
    }

    private mutating func heard(_ mark: RenderMark) {
        let position = self.ledger.position
        switch mark {
        case .item(let item):
            self.face.item(item)
            self.tell(.itemStarted(index: item.index, name: item.name))
        case .title(let title, let sample):
            guard self.face.title != title else { return }
            self.face.title = title
            self.tell(
                .titleChanged(
                    title: title.title,
                    artist: title.artist,
                    album: title.album,
                    at: position,
                    sample: sample
                )
            )
        case .format(let format, let pcm):
            let isNew = self.face.pcm != pcm || self.face.format?.codec != format.codec
            self.face.format = format
            self.face.pcm = pcm
            if isNew { self.tell(.formatChanged(format, pcm, at: position)) }
        case .level(let level): self.face.level = level
        case .concealed(let error):
            self.face.concealed += 1
            self.tell(.concealed(error, at: position))
        }
    }
}
