// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Plays files and radio: opens, cuts into packets, decodes, and hands the sound to a sink.
///
///     let player = Player(decoders: [PCMDecoderFactory()], sink: NullSink())
///     player.play([PlayerItem(name: "Radio", content: .station(station))])
///     for await snapshot in player.snapshots() { print(snapshot.state, snapshot.title ?? "") }
///
/// Every command returns at once, from any thread, in any state; what it leads to is seen in ``snapshot`` and told by
/// ``snapshots()`` and ``events()``. A command that makes no sense is answered, never trapped. A player that is dropped
/// stops.
public final class Player: Sendable {
    let core: PlayerCore

    /// A player that plays nothing yet.
    ///
    /// - Parameters:
    ///   - decoders: who makes sound of packets; the first that knows a codec is taken.
    ///   - sink: where the sound goes; the player's alone while it plays.
    ///   - options: how it works.
    public init(
        decoders: [any AudioDecoderFactory],
        sink: any AudioSink,
        options: PlayerOptions = PlayerOptions()
    ) {
        self.core = PlayerCore(decoders: decoders, sink: sink, options: options)
    }

    deinit {
        _ = self.core.command { $0.stop() }
        self.core.eventFeed.finish()
        self.core.snapshotFeed.finish()
    }

    /// Plays items one after the other, without a gap; what played before is forgotten, an error too.
    ///
    /// - Parameters:
    ///   - items: what is played; at least one.
    ///   - index: which comes first, from 0.
    /// - Returns: a refusal where there is no such item.
    @discardableResult
    public func play(_ items: [PlayerItem], startingAt index: Int = 0) -> PlayerAnswer {
        guard items.indices.contains(index) else {
            return .refused("There is nothing to be played")
        }
        let policy = self.core.sink.isPaced ? BufferPolicy() : .immediate
        return self.core.begin { _, machine in
            let (answer, effects) = machine.start(buffer: policy)
            let place = PlayerPlace(index: index, spot: .start, shown: Self.shown(items[index]))
            return (answer, effects, PlayerBeginning(items: items, place: place, isStart: true))
        }
    }

    /// Plays what was played last once more from its beginning; goes on if it is paused.
    @discardableResult
    public func start() -> PlayerAnswer {
        let policy = self.core.sink.isPaced ? BufferPolicy() : .immediate
        return self.core.begin { situation, machine in
            guard !situation.items.isEmpty else {
                return (.refused("There is nothing to be played"), [], nil)
            }
            let (answer, effects) = machine.start(buffer: policy)
            let index = min(situation.index, situation.items.count - 1)
            let shown = Self.shown(situation.items[index])
            let place = PlayerPlace(index: index, spot: .start, shown: shown)
            return (answer, effects, PlayerBeginning(items: nil, place: place, isStart: true))
        }
    }

    /// Holds the sound where it is; what comes is gathered as far as there is room.
    ///
    /// Nothing but the user ends it.
    @discardableResult
    public func pause() -> PlayerAnswer { self.core.command { $0.pause() } }

    /// Goes on after a pause.
    @discardableResult
    public func resume() -> PlayerAnswer { self.core.command { $0.resume() } }

    /// Ends; returns without waiting.
    ///
    /// The state is ``PlayerState/stopped`` when all is let go of.
    @discardableResult
    public func stop() -> PlayerAnswer { self.core.command { $0.stop() } }

    /// Goes to a position of the item that is heard; past its end: to the next item or the end.
    ///
    /// In a station that is as far from the position now as is kept.
    @discardableResult
    public func seek(to position: Duration) -> PlayerAnswer {
        self.move { situation in situation.place(position) }
    }

    /// Goes forwards, or back, by so much.
    @discardableResult
    public func seek(by distance: Duration) -> PlayerAnswer {
        self.move { situation in situation.place(by: distance) }
    }

    /// Goes to the live end of a station.
    @discardableResult
    public func goLive() -> PlayerAnswer {
        self.move { situation in
            guard situation.behindLive != nil else { return nil }
            return PlayerPlace(index: situation.index, spot: .live, shown: situation.position)
        }
    }

    /// Plays the next item.
    @discardableResult
    public func next() -> PlayerAnswer {
        self.move { situation in Self.place(situation, situation.index + 1) }
    }

    /// Plays the item from its beginning, or the one before if it has only just begun.
    @discardableResult
    public func previous() -> PlayerAnswer {
        self.move { situation in
            let hasBegun = situation.position > .seconds(3) && situation.behindLive == nil
            let index = situation.index - (hasBegun ? 0 : 1)
            return Self.place(situation, max(0, index))
        }
    }

    /// Sets how loud it is: 1 is as it was recorded, 0 is silent; beyond is cut.
    public func setVolume(_ volume: Double) {
        self.core.show { $0.volume = volume.isFinite ? min(max(0, volume), 1) : 1 }
    }

    /// Silences it whatever the volume, or no longer.
    public func setMuted(_ isMuted: Bool) {
        self.core.show { $0.isMuted = isMuted }
    }

    /// The system takes the sound away, for a call or the like; it is held until
    /// ``interruptionEnded(shouldResume:)``.
    public func interruptionBegan() { self.core.tell { $0.interruptionBegan() } }

    /// The system gives the sound back.
    ///
    /// - Parameter shouldResume: whether it may go on by itself; a user's pause stays whatever this says.
    public func interruptionEnded(shouldResume: Bool) {
        self.core.tell { $0.interruptionEnded(shouldResume: shouldResume) }
    }

    /// The sink's device is another: it is opened anew, and the sound goes on where it was.
    public func deviceChanged() { self.core.deviceChanged() }

    private func move(_ find: (PlayerSituation) -> PlayerPlace?) -> PlayerAnswer {
        self.core.begin { situation, machine in
            guard let place = find(situation) else {
                return (.refused("There is nothing to go to"), [], nil)
            }
            let (answer, effects) = machine.seek()
            guard answer == .done else { return (answer, effects, nil) }
            return (answer, effects, PlayerBeginning(items: nil, place: place))
        }
    }

    private static func place(_ situation: PlayerSituation, _ index: Int) -> PlayerPlace? {
        guard situation.items.indices.contains(index) else { return nil }
        return PlayerPlace(index: index, spot: .start, shown: .zero)
    }

    private static func shown(_ item: PlayerItem) -> Duration {
        if case .station = item.content { return .zero }
        return max(.zero, item.start)
    }
}
