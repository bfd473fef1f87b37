// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Plays files and radio: opens, cuts into packets, decodes, and writes the sound to a sink.
///
///     let player = Player(decoders: [PCMDecoderFactory()], sink: NullSink())
///     player.play([PlayerItem(name: "Radio", content: .station(station))])
///     for await snapshot in player.snapshots() { print(snapshot.state, snapshot.title ?? "") }
///
/// Every command returns at once, from any thread, in any state; what it leads to is seen in ``snapshot`` and told by
/// ``snapshots()`` and ``events()``. A command that makes no sense is refused, never trapped. A player that is dropped
/// stops.
public final class Player: Sendable {
    let core: PlayerCore

    /// A player that plays nothing yet.
    ///
    /// - Parameters:
    ///   - decoders: make sound of packets; the first that knows a codec is taken.
    ///   - sink: where the sound goes; used by this player alone while it plays.
    ///   - options: how it works.
    public init(
        decoders: [any AudioDecoderFactory],
        sink: any AudioSink,
        options: PlayerOptions = PlayerOptions()
    ) {
        self.core = PlayerCore(decoders: decoders, sink: sink, options: options)
    }

    deinit {
        let (events, snapshots) = self.core.change { store in
            _ = store.command { $0.stop() }
            return (store.events, store.snapshots)
        }
        events.finish()
        snapshots.finish()
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
        let buffer = self.buffer
        return self.core.change { $0.play(items, at: index, buffer: buffer) }
    }

    /// Plays what was played last once more from its beginning; goes on if it is paused.
    @discardableResult
    public func start() -> PlayerAnswer {
        let buffer = self.buffer
        return self.core.change { store in
            guard !store.items.isEmpty else { return .refused("There is nothing to be played") }
            let index = min(store.index, store.items.count - 1)
            return store.play(at: index, buffer: buffer)
        }
    }

    /// Pauses the sound where it is; packets are gathered as far as there is room.
    ///
    /// Only ``resume()``, a start or a stop ends it.
    @discardableResult
    public func pause() -> PlayerAnswer { self.command { $0.pause() } }

    /// Goes on after a pause.
    @discardableResult
    public func resume() -> PlayerAnswer { self.command { $0.resume() } }

    /// Ends; returns without waiting.
    ///
    /// The state is ``PlayerState/stopped`` when the sink is closed.
    @discardableResult
    public func stop() -> PlayerAnswer { self.command { $0.stop() } }

    /// Goes to a position of the item that is heard; past its end: to the next item or the end.
    ///
    /// In a station that is as far from the position now as is kept.
    @discardableResult
    public func seek(to position: Duration) -> PlayerAnswer {
        self.core.change { $0.seek(to: $0.point(at: position)) }
    }

    /// Goes forwards, or back, by so much.
    @discardableResult
    public func seek(by distance: Duration) -> PlayerAnswer {
        self.core.change { $0.seek(to: $0.point(by: distance)) }
    }

    /// Goes to the live end of a station.
    @discardableResult
    public func goLive() -> PlayerAnswer {
        self.core.change { $0.seek(to: $0.liveEnd) }
    }

    /// Plays the next item.
    @discardableResult
    public func next() -> PlayerAnswer {
        self.core.change { $0.seek(to: $0.nextItem) }
    }

    /// Plays the item from its beginning, or the previous item within the first three seconds.
    @discardableResult
    public func previous() -> PlayerAnswer {
        self.core.change { $0.seek(to: $0.previousItem) }
    }

    /// Sets the volume: 1 is as recorded, 0 is silent; values beyond are clamped.
    public func setVolume(_ volume: Double) {
        self.core.change { store in
            store.display.volume = volume.isFinite ? min(max(0, volume), 1) : 1
            store.publish()
        }
    }

    /// Silences the sound whatever the volume, or ends that.
    public func setMuted(_ isMuted: Bool) {
        self.core.change { store in
            store.display.isMuted = isMuted
            store.publish()
        }
    }

    /// Pauses because the system takes the sound away, for a call or the like, until
    /// ``interruptionEnded(shouldResume:)``.
    public func interruptionBegan() { self.core.decide { $0.interruptionBegan() } }

    /// Ends the pause of ``interruptionBegan()``.
    ///
    /// - Parameter shouldResume: whether the sound may go on by itself; a user's pause stays in any case.
    public func interruptionEnded(shouldResume: Bool) {
        self.core.decide { $0.interruptionEnded(shouldResume: shouldResume) }
    }

    /// Opens the sink anew, because its device has changed; the sound goes on where it was.
    public func deviceChanged() { self.core.change { $0.changeDevice() } }

    /// A sink that is not paced takes sound as it comes.
    private var buffer: BufferPolicy { self.core.sink.isPaced ? BufferPolicy() : .immediate }

    private func command(
        _ command: (inout PlayerMachine) -> (PlayerAnswer, [PlayerEffect])
    ) -> PlayerAnswer {
        self.core.change { $0.command(command) }
    }
}
