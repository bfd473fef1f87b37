// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// An event of the medium behind an asset, as its `mediaEvents()` reports it.
public enum MediaAssetEvent: Sendable {
    /// Every byte of it is held, or was delivered to the player; reported once.
    case loadedWhole
    /// Requested bytes could not be read; the player gets the same error, and may ask again.
    case failed(SourceError)
    /// The origin has another version now; make a new asset.
    ///
    /// The player knows the old version's length and keeps it for as long as the asset lives.
    case sourceChanged
    /// This number of events was lost, because the listener was slow.
    ///
    /// The player's item has the important error.
    case missed(Int)
}

extension MediaAssetEvent: LossyEvent {}
