// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
public import AVFoundation
public import WeirSource

extension AVPlayerItem {
    /// Makes an item of any byte source, a `Media` of Weir for one, once its first bytes have told what it is.
    ///
    /// - Parameters:
    ///   - media: where the bytes come from.
    ///   - delegate: is told what happens to the medium; not kept alive.
    /// - Throws: as `AVURLAsset.init(media:delegate:)`.
    nonisolated public convenience init(
        media: any ByteSource,
        delegate: (any MediaAssetDelegate)? = nil
    ) async throws {
        self.init(asset: try await AVURLAsset(media: media, delegate: delegate))
    }

    /// Makes an item of a byte source whose type is known, without waiting.
    ///
    /// - Parameters:
    ///   - media: where the bytes come from; nothing is read until the player asks.
    ///   - type: what they are. A wrong one makes an item that does not play.
    ///   - delegate: is told what happens to the medium; not kept alive.
    nonisolated public convenience init(
        media: any ByteSource,
        type: MediaType,
        delegate: (any MediaAssetDelegate)? = nil
    ) {
        self.init(asset: AVURLAsset(media: media, type: type, delegate: delegate))
    }
}
#endif
