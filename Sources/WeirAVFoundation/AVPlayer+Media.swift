// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
public import AVFoundation
import Foundation
public import WeirSource

extension AVPlayerItem {
    /// Makes an item of any byte source, such as a `Media` of Weir, once the first bytes have shown
    /// the type.
    ///
    /// Set `resumesAfterStalls` on the player of the item, or make a player with
    /// `AVPlayer(media:)`, which sets it.
    ///
    /// - Parameter media: the source of the bytes.
    /// - Throws: as `AVURLAsset.init(media:)`.
    nonisolated public convenience init(media: any ByteSource) async throws {
        self.init(asset: try await AVURLAsset(media: media))
    }

    /// Makes an item of a byte source of a known type, without waiting.
    ///
    /// - Parameters:
    ///   - media: the source of the bytes; Weir reads nothing until the player makes a request.
    ///   - type: the type of the bytes. An item with a wrong type does not play.
    nonisolated public convenience init(media: any ByteSource, type: MediaType) {
        self.init(asset: AVURLAsset(media: media, type: type))
    }

    /// The events of the medium behind the item from now on; `nil` for an item that Weir has not
    /// made.
    @MainActor public func mediaEvents() -> AsyncStream<MediaAssetEvent>? {
        (self.asset as? AVURLAsset)?.mediaEvents()
    }
}

extension AVPlayer {
    /// Makes a player of any byte source, such as a `Media` of Weir, once the first bytes have
    /// shown the type.
    ///
    /// The player resumes after stalls.
    ///
    /// - Parameter media: the source of the bytes.
    /// - Throws: as `AVURLAsset.init(media:)`.
    @MainActor
    public convenience init(media: any ByteSource) async throws {
        self.init(playerItem: try await AVPlayerItem(media: media))
        self.resumesAfterStalls = true
    }

    /// Whether the player plays at once with the available bytes, and Weir resumes it after a
    /// stall.
    ///
    /// AVFoundation requires `automaticallyWaitsToMinimizeStalling` to be `false` if the
    /// application loads the media, as for assets of a `ByteSource`: AVFoundation cannot know how
    /// fast the bytes arrive. Such a player stops when it runs out of bytes, and stays stopped.
    /// `true` sets `automaticallyWaitsToMinimizeStalling` to `false`; when the player has enough
    /// bytes again, Weir resumes it at the previous rate. A player that the application or the
    /// system paused stays paused. If the application pauses a stalled player, the player may not
    /// report the pause, because it is already stopped. If this matters, set this property to
    /// `false` together with the pause. `false` restores the player's own way of waiting.
    ///
    /// A player whose item has a URL of Weir's proxy does not need this property, because it loads
    /// the media itself.
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

// The memory is never written or read: its address is the key.

/// The key under which a player holds its resumer.
nonisolated(unsafe) private let resumerKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
)
#endif
