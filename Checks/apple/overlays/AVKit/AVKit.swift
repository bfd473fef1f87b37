// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import AVFoundation
public import SwiftUI

public struct VideoPlayer: View {
    nonisolated public init(player: AVPlayer?) { unseen() }
    public var body: Never { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
