// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the error in the notification that playback failed.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayeritemfailedtoplaytoendtimeerrorkey>
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

/// The playback of an asset; Sendable in the SDK as here, by its actor.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayeritem>
@MainActor
open class AVPlayerItem: NSObject, NSCopying {
    /// Whether an item can be played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/status-swift.enum>
    public enum Status: Int, Sendable {
        /// Not known yet.
        case unknown = 0
        /// It can.
        case readyToPlay = 1
        /// It cannot any more.
        case failed = 2
    }

    // Posted from any thread. `class let` in the SDK, whose isolation its pages do not say: here without one.

    /// Posted when an item was played to its end.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/didplaytoendtimenotification>
    nonisolated public static let didPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemDidPlayToEndTimeNotification"
    )
    /// Posted when an item could not be played to its end.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/failedtoplaytoendtimenotification>
    nonisolated public static let failedToPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification"
    )

    /// Posted when an item has run out of bytes.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/playbackstallednotification>
    nonisolated public static let playbackStalledNotification = NSNotification.Name(
        "AVPlayerItemPlaybackStalledNotification"
    )

    nonisolated let playback: StubPlayback
    // Unsafe in name only: a constant, given out on the main actor alone; what the item itself reads of it is the
    // loader, which is Sendable, and the reference, to copy the item.
    nonisolated(unsafe) private let held: AVAsset

    nonisolated init(stubAsset: AVAsset) {
        held = stubAsset
        playback = StubPlayback(asset: stubAsset as? AVURLAsset)
        super.init()
        playback.publish { $0.item = self }
    }

    deinit {
        StubAssociations.shared.forget(self)
    }

    /// An item of an asset, some of whose properties are loaded first.
    ///
    /// The SDK's designated initializer; that it is on the main actor is inferred from the one without keys.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/init(asset:automaticallyloadedassetkeys:)-5czjh>
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - automaticallyLoadedAssetKeys: Not looked at.
    public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
        held = asset
        playback = StubPlayback(asset: asset as? AVURLAsset)
        super.init()
        playback.publish { $0.item = self }
    }

    /// An item of an asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/init(asset:)-87rjl>
    ///
    /// - Parameter asset: The asset.
    public convenience init(asset: AVAsset) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
    }

    /// An item of an asset that is Sendable, from anywhere.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/init(asset:)-1nme9>
    ///
    /// - Parameter asset: The asset.
    nonisolated public convenience init(asset: any AVAsset & Sendable) {
        self.init(stubAsset: asset)
    }

    /// An item of the media at a URL.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/init(url:)-1xrtk>
    ///
    /// - Parameter url: Where they are.
    nonisolated public convenience init(url: URL) {
        self.init(stubAsset: AVURLAsset(url: url))
    }

    /// The asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/asset>
    public var asset: AVAsset { held }

    /// Whether it can be played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/status-swift.property>
    nonisolated public var status: Status { playback.publish { $0.status } }

    /// Whether it is likely to play on without a stall; what the stub's player was told.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/isplaybacklikelytokeepup>
    nonisolated public var isPlaybackLikelyToKeepUp: Bool { playback.publish { $0.keepsUp } }

    /// Whether it takes no more bytes; never.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/isplaybackbufferfull>
    nonisolated public var isPlaybackBufferFull: Bool { false }

    /// Why it cannot be played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/error>
    nonisolated public var error: (any Error)? { playback.publish { $0.error } }

    /// Another item of the same asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/copy(with:)>
    ///
    /// - Parameter zone: Ignored.
    /// - Returns: The item.
    nonisolated open func copy(with zone: NSZone? = nil) -> Any {
        let copy = AVPlayerItem(stubAsset: held)
        copy.stubPacing = stubPacing
        return copy
    }

    /// Another item of the same asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/copy()>
    ///
    /// - Returns: The item.
    nonisolated open override func copy() -> Any {
        copy(with: nil)
    }
}
