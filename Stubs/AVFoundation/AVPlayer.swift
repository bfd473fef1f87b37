// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Plays one item; Sendable in the SDK as here, by its actor, though nearly everything of it is without isolation.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayer>
@MainActor
open class AVPlayer: NSObject {
    /// Whether a player can play.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/status-swift.enum>
    public enum Status: Int, Sendable {
        /// Not known yet.
        case unknown = 0
        /// It can.
        case readyToPlay = 1
        /// It cannot any more.
        case failed = 2
    }

    nonisolated let transport: StubTransport

    nonisolated init(stubItems: [AVPlayerItem], advances: Bool) {
        transport = StubTransport(stubItems, advances: advances)
        super.init()
        transport.begin()
    }

    /// A player without an item.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/init()>
    nonisolated public override convenience init() {
        self.init(stubItems: [], advances: false)
    }

    /// A player of the media at a URL.
    ///
    /// Designated in the SDK.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/init(url:)-87cxx>
    ///
    /// - Parameter url: Where they are.
    nonisolated public convenience init(url: URL) {
        self.init(stubItems: [AVPlayerItem(url: url)], advances: false)
    }

    /// A player of an item.
    ///
    /// Designated in the SDK.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/init(playeritem:)>
    ///
    /// - Parameter item: The item.
    nonisolated public convenience init(playerItem item: AVPlayerItem?) {
        self.init(stubItems: item.map { [$0] } ?? [], advances: false)
    }

    deinit {
        StubAssociations.shared.forget(self)
    }

    /// Whether it can play: always.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/status-swift.property>
    nonisolated public var status: Status { .readyToPlay }

    /// Why it cannot play: never.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/error>
    nonisolated public var error: (any Error)? { nil }

    /// The item that it plays.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/currentitem>
    nonisolated public var currentItem: AVPlayerItem? { transport.items.first }

    /// How fast it plays: the stub consumes at any rate but 0.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/rate>
    nonisolated open var rate: Float {
        get { transport.rate }
        set { transport.rate = newValue }
    }

    /// Whether it delays playback so that it need not stop; kept and not looked at.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/automaticallywaitstominimizestalling>
    nonisolated open var automaticallyWaitsToMinimizeStalling: Bool {
        get { transport.waitsToMinimizeStalling }
        set { transport.waitsToMinimizeStalling = newValue }
    }

    /// Plays another item instead; what the old one asked for is not cancelled.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/replacecurrentitem(with:)>
    ///
    /// - Parameter item: The item; nil for none.
    nonisolated open func replaceCurrentItem(with item: AVPlayerItem?) {
        guard item !== currentItem || item == nil else { return }
        transport.change { $0 = (item.map { [$0] } ?? []) + $0.dropFirst() }
    }

    /// Plays.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/play()>
    nonisolated open func play() {
        rate = 1
    }

    /// Pauses: loading goes on until the window is full.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/pause()>
    nonisolated open func pause() {
        rate = 0
    }

    /// Seeks, to the share of the media's bytes that the time is of the duration.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/seek(to:)-87h2r>
    ///
    /// - Parameter time: The time.
    nonisolated open func seek(to time: CMTime) {
        currentItem?.playback.requestSeek(.seconds(time.seconds))
    }

    /// Seeks to a byte; not Apple's.
    ///
    /// - Parameter byte: The offset in the resource, moved into the media if it is outside.
    nonisolated public func stubSeek(toByte byte: Int64) {
        currentItem?.stubSeek(toByte: byte)
    }
}
