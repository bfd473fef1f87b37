// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import AVFoundation

extension AVPlayerItem {
    /// An asset that may go anywhere makes an item anywhere; any other does on the main actor alone.
    nonisolated public convenience init(asset: any AVAsset & Sendable) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
