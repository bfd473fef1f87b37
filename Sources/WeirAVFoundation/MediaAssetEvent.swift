// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// What happens to the medium behind an asset, as its `mediaEvents()` tell.
public enum MediaAssetEvent: Sendable {
    /// Every byte of it is held, or has been handed over; told once.
    case loadedWhole
    /// Bytes that were wanted could not be had; the player is told the same, and may ask again.
    case failed(SourceError)
    /// The origin has another version now. The player knows the old one's length and keeps it for as long as the asset
    /// lives: make a new asset.
    case sourceChanged
    /// So many events were lost here, since the listener was slow. The player's item has the error that matters.
    case missed(Int)
}

extension MediaAssetEvent: LossyEvent {}
