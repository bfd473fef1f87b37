// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirLive
public import WeirSource

/// Plays files and radio: opens a source, parses it into packets, decodes them, and writes the
/// sound to a sink.
///
///     let player = Player()  // with `import WeirPlayer`: the platform's decoders and device
///     player.play(song)
///     for await now in player.snapshots() { print(now.state, now.position, now.title ?? "") }
///
/// Every command returns at once, from any thread, in any state. Its effects appear in
/// ``snapshot``, ``snapshots()`` and ``events()``. A command that makes no sense now does nothing
/// and returns `false`; no command traps. A released player stops.
///
/// There are two ways to observe: ``snapshots()`` for facts that may be missed, ``events()`` for
/// facts that may not. ``PlayerModel`` offers the snapshots to SwiftUI.
public final class Player: Sendable {
    let core: PlayerCore

    /// A player that plays nothing yet.
    ///
    /// - Parameters:
    ///   - decoders: the decoder factories; the player uses the first that supports a codec.
    ///   - sink: the output of the sound; while the player plays, only it uses the sink.
    ///   - options: the options of the player.
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

    /// Plays a file, such as a `Media` of a library; forgets the previous items and errors.
    ///
    /// - Parameters:
    ///   - source: the bytes of the file.
    ///   - start: where to begin; a start past the end means the end.
    public func play(_ source: any ByteSource, from start: Duration = .zero) {
        self.play(PlayerItem(source, start: start))
    }

    /// Plays a radio station; forgets the previous items and errors.
    public func play(_ station: Station) {
        self.play(PlayerItem(station))
    }

    /// Plays an item; forgets the previous items and errors.
    public func play(_ item: PlayerItem) {
        self.play([item])
    }

    /// Plays items one after the other, without a gap; forgets the previous items and errors.
    ///
    /// - Parameters:
    ///   - items: the items; at least one.
    ///   - index: the first item to play, from 0.
    /// - Returns: `false` if there is no such item; then nothing changes.
    @discardableResult
    public func play(_ items: [PlayerItem], startingAt index: Int = 0) -> Bool {
        guard items.indices.contains(index) else { return false }
        let buffer = self.buffer
        return self.core.change { $0.play(items, at: index, buffer: buffer) }.isAccepted
    }

    /// Plays the current item again from its beginning, or the first item; ends a pause.
    ///
    /// - Returns: `false` if the queue is empty.
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

    /// Pauses the sound where it is; the player gathers packets as far as there is room.
    ///
    /// Only ``resume()``, a start or a stop ends the pause.
    @discardableResult
    public func pause() -> Bool { self.command { $0.pause() } }

    /// Continues after a pause.
    @discardableResult
    public func resume() -> Bool { self.command { $0.resume() } }

    /// Stops; returns without waiting.
    ///
    /// The state becomes ``PlayerState/stopped`` when the sink is closed.
    @discardableResult
    public func stop() -> Bool { self.command { $0.stop() } }

    /// Goes to a position of the item that is heard; past its end: to the next item or the end.
    ///
    /// In a station, it moves within the kept sound, by the distance from the current position.
    @discardableResult
    public func seek(to position: Duration) -> Bool {
        self.seek { $0.point(at: position) }
    }

    /// Seeks forwards, or backwards, by a distance.
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

    /// Plays the item from its beginning.
    ///
    /// Within its first three seconds, and in a station, plays the previous item.
    @discardableResult
    public func previous() -> Bool {
        self.seek { $0.previousItem }
    }

    /// The volume: 1 is as recorded, 0 is silent; values outside 0 to 1 are clamped.
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

    /// Whether the sound is muted, whatever the volume.
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

    /// Pauses because the system interrupts the sound, for a call or the like.
    ///
    /// The pause lasts until ``interruptionEnded(shouldResume:)``, ``resume()``, a new start or the
    /// end of playback.
    public func interruptionBegan() { self.core.decide { $0.interruptionBegan() } }

    /// Ends the pause of ``interruptionBegan()``.
    ///
    /// - Parameter shouldResume: whether the sound may continue on its own; a user's pause stays in
    ///   any case.
    public func interruptionEnded(shouldResume: Bool) {
        self.core.decide { $0.interruptionEnded(shouldResume: shouldResume) }
    }

    /// Opens the sink again because its device has changed; the sound continues where it was.
    public func deviceChanged() { self.core.change { $0.changeDevice() } }

    /// A sink that is not paced takes sound as soon as it arrives.
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
