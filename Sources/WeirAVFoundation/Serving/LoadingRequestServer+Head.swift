// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension LoadingRequestServer {
    /// The first bytes of the resource, which every player asks for more than once.
    struct Head: Sendable {
        /// The bytes from 0 on, in the pieces in which they came.
        var pieces: [ByteMemory] = []
        /// How many there are.
        var count: Int64 = 0
        /// The reading that brings more of them, until a request goes on with it.
        var read: ReadID?
        /// The wait for such a request.
        var patience: WaitID?

        /// The bytes from an offset on, as many as lie in one piece.
        func bytes(from offset: Int64, atMost limit: Int) -> ByteMemory? {
            var start: Int64 = 0
            for piece in self.pieces {
                let end = start + Int64(piece.count)
                if offset < end {
                    let lower = Int(offset - start)
                    return piece[lower..<min(piece.count, lower + limit)]
                }
                start = end
            }
            return nil
        }
    }
}
