// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The decorators of one medium: what readers see, and the part that can be closed.
struct MediaPipeline: Sendable {
    /// The part in the middle.
    enum Middle: Sendable {
        /// Kept, and shared with all who play the resource, here and in other processes.
        case kept(SharedSource)
        /// Read where it lies.
        case direct(DirectSource)
    }

    /// The end of the line, which readers read.
    let front: any ByteSource
    private let middle: Middle

    init(_ middle: Middle) {
        self.middle = middle
        switch middle {
        case .kept(let source): self.front = TypedSource(source)
        case .direct(let source): self.front = TypedSource(source)
        }
    }

    func close() async {
        switch self.middle {
        case .kept(let source): await source.close()
        case .direct(let source): source.close()
        }
    }
}
