// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLoader
import WeirSource

/// The decorators of one medium: what readers see, and the part that can be closed.
struct MediaPipeline: Sendable {
    /// The end of the line, which readers read.
    let front: any ByteSource
    /// The part that holds requests and readers.
    let cached: CachedSource
}
