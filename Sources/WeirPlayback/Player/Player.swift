// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirLive
public import WeirSource

/// Plays files and radio: opens, cuts into packets, decodes, and writes the sound to a sink.
///
///     let player = Player()  // with `import WeirPlayer`: the platform's decoders and device
///     player.play(song)
///     for await now in player.snapshots() { print(now.state, now.position, now.title ?? "") }
///
/// Every command returns at once, from any thread, in any state; what it leads to is seen in ``snapshot`` and told by
/// ``snapshots()`` and ``events()``. A command that makes no sense now does nothing and returns `false`; none traps. A
/// player that is dropped stops.
///
/// There are two ways to observe: ``snapshots()`` for what may be missed, ``events()`` for what may not. ``PlayerModel``
/// is the first of them for SwiftUI.
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

    // MARK: Playing

    /// Plays a file: a `Media` of a library, or any other source; what played before is forgotten, an error too.
    ///
    /// - Parameters:
    ///   - source: its bytes.
    ///   - start: where to begin; past the end: at the end.
    public func play(_ source: any ByteSource, from start: Duration = .zero) {
        self.play(PlayerItem(source, start: start))
    }

    /// Plays a radio station; what played before is forgotten, an error too.
    public func play(_ station: Station) {
        self.play(PlayerItem(station))
    }

    /// Plays an item; what played before is forgotten, an error too.
    public func play(_ item: PlayerItem) {
        self.play([item])
    }

    /// Plays items one after the other, without a gap; what played before is forgotten, an error too.
    ///
    /// - Parameters:
    ///   - items: what is played; at least one.
    ///   - index: which comes first, from 0.
    /// - Returns: `false` where there is no such item, and nothing changes.
    @discardableResult
    public func play(_ items: [PlayerItem], startingAt index: Int = 0) -> Bool {
        guard items.indices.contains(index) else { return false }
        let buffer = self.buffer
        return self.core.change { $0.play(items, at: index, buffer: buffer) }.isAccepted
    }

    /// Plays the present item once more from its beginning, or the first; goes on if it is paused.
    ///
    /// - Returns: `false` where the queue is empty.
    @discardableResult
    public func start() -> Bool {
        let buffer = self.buffer
        return self.core.change { store in
            guard !store.items.isEmpty else { return false }
            let index = min(store.index, store.items.count - 1)
            return store.play(at: index, buffer: buffer).isAccepted
        }
    }

    // MARK: Commands

    /// Pauses the sound where it is; packets are gathered as far as there is room.
    ///
    /// Only ``resume()``, a start or a stop ends it.
    @discardableResult
    public func pause() -> Bool { self.command { $0.pause() } }

    /// Goes on after a pause.
    @discardableResult
    public func resume() -> Bool { self.command { $0.resume() } }

    /// Ends; returns without waiting.
    ///
    /// The state is ``PlayerState/stopped`` when the sink is closed.
    @discardableResult
    public func stop() -> Bool { self.command { $0.stop() } }

    /// Goes to a position of the item that is heard; past its end: to the next item or the end.
    ///
    /// In a station that is as far from the position now as is kept.
    @discardableResult
    public func seek(to position: Duration) -> Bool {
        self.seek { $0.point(at: position) }
    }

    /// Goes forwards, or back, by so much.
    @discardableResult
    public func seek(by distance: Duration) -> Bool {
        self.seek { $0.point(by: distance) }
    }

    /// Goes to the live end of a station.
    @discardableResult
    public func goLive() -> Bool {
        self.seek { $0.liveEnd }
    }

    /// Plays the next item.
    @discardableResult
    public func next() -> Bool {
        self.seek { $0.nextItem }
    }

    /// Plays the item from its beginning, or the previous item within the first three seconds.
    @discardableResult
    public func previous() -> Bool {
        self.seek { $0.previousItem }
    }

    /// The volume: 1 is as recorded, 0 is silent; values beyond are clamped.
    public var volume: Double {
        get { self.core.withStore { $0.display.volume } }
        set {
            self.core.change { store in
                store.display.volume = newValue.isFinite ? min(max(0, newValue), 1) : 1
                store.collect(.setGain(store.display.gain))
                store.publish()
            }
        }
    }

    /// Whether the sound is silenced, whatever the volume.
    public var isMuted: Bool {
        get { self.core.withStore { $0.display.isMuted } }
        set {
            self.core.change { store in
                store.display.isMuted = newValue
                store.collect(.setGain(store.display.gain))
                store.publish()
            }
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
    ) -> Bool {
        self.core.change { $0.command(command) }.isAccepted
    }

    private func seek(_ point: (PlayerStore) -> StartPoint?) -> Bool {
        self.core.change { $0.seek(to: point($0)) }.isAccepted
    }
}
