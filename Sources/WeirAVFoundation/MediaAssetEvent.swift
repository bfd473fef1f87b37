// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// What happens to the medium behind an asset.
public enum MediaAssetEvent: Sendable {
    /// Every byte of it is held, or has been handed over; told once.
    case loadedWhole
    /// Bytes that were wanted could not be had; the player is told the same, and may ask again.
    case failed(SourceError)
    /// The origin has another version now. The player knows the old one's length and keeps it for as long as the asset
    /// lives: make a new asset.
    case sourceChanged
}

/// Is told what ``MediaAssetEvent`` tells, for applications that prefer calls to a stream.
///
/// Called on the queue of the asset's loader, one call at a time; hop to the main actor for what draws. Every method
/// has a default that does nothing.
public protocol MediaAssetDelegate: AnyObject, Sendable {
    /// Every byte is held, or has been handed over.
    func mediaAssetLoadedWhole()
    /// Bytes that were wanted could not be had.
    func mediaAsset(failedWith error: SourceError)
    /// The origin has another version now; make a new asset.
    func mediaAssetSourceChanged()
}

extension MediaAssetDelegate {
    /// Does nothing.
    public func mediaAssetLoadedWhole() {}
    /// Does nothing.
    public func mediaAsset(failedWith error: SourceError) {}
    /// Does nothing.
    public func mediaAssetSourceChanged() {}
}
