// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the error in the notification that playback failed.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayeritemfailedtoplaytoendtimeerrorkey>
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

/// The playback of an asset; Sendable by its actor, as in the SDK.
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
        /// The item can be played.
        case readyToPlay = 1
        /// The item can no longer be played.
        case failed = 2
    }

    // Posted from any thread. `class let` in the SDK, whose pages do not state its isolation; nonisolated in the
    // stub.

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
    // Unsafe in name only: a constant that only the main actor hands out. The item itself uses only the loader,
    // which is Sendable, and the reference, to copy the item.
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

    /// An item of an asset; some properties of the asset are loaded first.
    ///
    /// The SDK's designated initializer. Its isolation to the main actor is inferred from the initializer without
    /// keys.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/init(asset:automaticallyloadedassetkeys:)-5czjh>
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - automaticallyLoadedAssetKeys: Unused.
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

    /// An item of a Sendable asset, for use from any isolation.
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
    /// - Parameter url: The URL.
    nonisolated public convenience init(url: URL) {
        self.init(stubAsset: AVURLAsset(url: url))
    }

    /// The asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/asset>
    public var asset: AVAsset { held }

    /// Whether the item can be played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/status-swift.property>
    nonisolated public var status: Status { playback.publish { $0.status } }

    /// Whether playing is likely to go on without a stall; in the stub, the test's setting.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/isplaybacklikelytokeepup>
    nonisolated public var isPlaybackLikelyToKeepUp: Bool { playback.publish { $0.keepsUp } }

    /// Whether the buffer is full; never, in the stub.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayeritem/isplaybackbufferfull>
    nonisolated public var isPlaybackBufferFull: Bool { false }

    /// Why the item cannot be played.
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
