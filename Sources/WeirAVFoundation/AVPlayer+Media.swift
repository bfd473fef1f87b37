// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
public import AVFoundation
import Foundation
public import WeirSource

extension AVPlayerItem {
    /// Makes an item of any byte source, a `Media` of Weir for one, once its first bytes have told what it is.
    ///
    /// Set `resumesAfterStalls` on the player that plays it, or make one with
    /// `AVPlayer(media:)`, which does.
    ///
    /// - Parameter media: where the bytes come from.
    /// - Throws: as `AVURLAsset.init(media:)`.
    nonisolated public convenience init(media: any ByteSource) async throws {
        self.init(asset: try await AVURLAsset(media: media))
    }

    /// Makes an item of a byte source of a known type, without waiting.
    ///
    /// - Parameters:
    ///   - media: where the bytes come from; nothing is read until the player asks.
    ///   - type: what they are. A wrong one makes an item that does not play.
    nonisolated public convenience init(media: any ByteSource, type: MediaType) {
        self.init(asset: AVURLAsset(media: media, type: type))
    }

    /// What happens to the medium behind the item from now on; `nil` for an item that is not Weir's.
    @MainActor public func mediaEvents() -> AsyncStream<MediaAssetEvent>? {
        (self.asset as? AVURLAsset)?.mediaEvents()
    }
}

extension AVPlayer {
    /// Makes a player of any byte source, a `Media` of Weir for one, once its first bytes have told what it is; it resumes
    /// after stalls.
    ///
    /// - Parameter media: where the bytes come from.
    /// - Throws: as `AVURLAsset.init(media:)`.
    @MainActor
    public convenience init(media: any ByteSource) async throws {
        self.init(playerItem: try await AVPlayerItem(media: media))
        self.resumesAfterStalls = true
    }

    /// Whether the player plays at once with what it has, and Weir lets it play on after a stall.
    ///
    /// AVFoundation wants `automaticallyWaitsToMinimizeStalling` to be `false` where an application loads the media, as it
    /// does for assets of a `ByteSource`: it cannot know how fast their bytes come. Such a player stops when it has run
    /// out of bytes, and stays stopped. This sets the property, and plays on, at the rate of before, when the player has
    /// enough bytes again. What the application or the system paused stays paused. A player that is told to pause while it
    /// has stalled may not tell of it, since it stands still already; set this to `false` with the pause where that
    /// matters. `false` gives the player its own way of waiting back.
    ///
    /// A player whose item has a URL of Weir's proxy needs none of this: it loads for itself.
    @MainActor public var resumesAfterStalls: Bool {
        get { objc_getAssociatedObject(self, resumerKey) is StallResumer }
        set {
            guard newValue != self.resumesAfterStalls else { return }
            self.automaticallyWaitsToMinimizeStalling = !newValue
            objc_setAssociatedObject(
                self,
                resumerKey,
                newValue ? StallResumer(self) : nil,
                .OBJC_ASSOCIATION_RETAIN
            )
        }
    }
}

// Never written and never read: its address is a key.

/// The key under which a player keeps what follows it.
nonisolated(unsafe) private let resumerKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
)
#endif
