// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Plays one item; Sendable by its actor, as in the SDK, though nearly all members are nonisolated.
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
        /// The player can play.
        case readyToPlay = 1
        /// The player can no longer play.
        case failed = 2
    }

    /// The reason of a rate change.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/ratedidchangereason>
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String

        /// A reason.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The application has set it.
        public static let setRateCalled = Self(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// The rate could not be set.
        public static let setRateFailed = Self(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// The system has interrupted the audio session.
        public static let audioSessionInterrupted = Self(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted"
        )
        /// The application is in the background.
        public static let appBackgrounded = Self(
            rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded"
        )
    }

    /// Posted when the rate has changed.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/ratedidchangenotification>
    nonisolated public static let rateDidChangeNotification = NSNotification.Name(
        "AVPlayerRateDidChangeNotification"
    )
    /// The key of the reason in that notification.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/ratedidchangereasonkey>
    nonisolated public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReason"

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
    /// - Parameter url: The URL.
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

    /// Whether the player can play: always, in the stub.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/status-swift.property>
    nonisolated public var status: Status { .readyToPlay }

    /// Why the player cannot play: nil, in the stub.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/error>
    nonisolated public var error: (any Error)? { nil }

    /// The item that the player plays.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/currentitem>
    nonisolated public var currentItem: AVPlayerItem? { transport.items.first }

    /// The rate of playing: the stub consumes at any rate but 0.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/rate>
    nonisolated open var rate: Float {
        get { transport.rate }
        set { stubSetRate(newValue, because: .setRateCalled) }
    }

    /// Whether the player delays playing to avoid stalls; stored, but unused.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/automaticallywaitstominimizestalling>
    nonisolated open var automaticallyWaitsToMinimizeStalling: Bool {
        get { transport.waitsToMinimizeStalling }
        set { transport.waitsToMinimizeStalling = newValue }
    }

    /// Plays another item instead; requests of the old item are not cancelled.
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

    /// Seeks to a share of the media's bytes: the time divided by the duration.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayer/seek(to:)-87h2r>
    ///
    /// - Parameter time: The time.
    nonisolated open func seek(to time: CMTime) {
        currentItem?.playback.requestSeek(.seconds(time.seconds))
    }

    /// Seeks to a byte; not Apple's.
    ///
    /// - Parameter byte: The offset in the resource; an offset outside the media is moved into it.
    nonisolated public func stubSeek(toByte byte: Int64) {
        currentItem?.stubSeek(toByte: byte)
    }

    /// Sets the rate, and posts the reason; not Apple's.
    ///
    /// - Parameters:
    ///   - rate: The rate.
    ///   - reason: The reason; nil for a change by the player itself.
    nonisolated public func stubSetRate(_ rate: Float, because reason: RateDidChangeReason?) {
        let isAnother = transport.rate != rate
        transport.rate = rate
        guard isAnother else { return }
        NotificationCenter.default.post(
            name: Self.rateDidChangeNotification,
            object: self,
            userInfo: reason.map { [Self.rateDidChangeReasonKey: $0] }
        )
    }

    /// Gives the item enough bytes, or too few; a playing player stalls then; not Apple's.
    nonisolated public func stubSupply(_ canKeepUp: Bool) {
        guard let item = currentItem else { return }
        item.playback.publish { $0.keepsUp = canKeepUp }
        transport.tellObservers()
        guard !canKeepUp, transport.rate != 0 else { return }
        stubSetRate(0, because: nil)
        NotificationCenter.default.post(
            name: AVPlayerItem.playbackStalledNotification,
            object: item
        )
    }
}
