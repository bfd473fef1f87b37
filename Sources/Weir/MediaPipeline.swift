// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The decorators of one medium: what readers see, and the part that can be closed.
struct MediaPipeline: Sendable {
    /// The end of the line, which readers read.
    let front: any ByteSource
    /// The part that is shared with all who play the resource, here and in other processes.
    let shared: SharedSource
}
