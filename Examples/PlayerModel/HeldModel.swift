// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// Which parts of a medium are held, for a scrubber to draw.
@MainActor
@Observable
public final class HeldModel {
    /// The parts that are held now.
    public private(set) var held = HeldSpans.none

    /// Nothing is held yet.
    public init() {}

    /// Follows a medium until the calling task is cancelled or the medium is closed.
    public func follow(_ media: any ByteSource) async {
        for await availability in media.availability {
            self.held = HeldSpans(availability)
        }
    }
}
