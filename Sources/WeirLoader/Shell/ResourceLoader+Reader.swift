// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A reader as the loader sees it.
    struct Reader {
        /// What it asked for.
        let request: RequestedRange
        /// The generation it reads; stays the same when the resource changes meanwhile.
        var generation: Generation?
        /// Why it cannot have the bytes that are not held.
        var failure: (any Error)?
        /// Resumed whenever something that it may be waiting for has happened.
        var waiter: CheckedContinuation<Void, Never>?

        init(request: RequestedRange, generation: Generation?) {
            self.request = request
            self.generation = generation
        }

        /// Where it ends, as far as that is known.
        func end(inLength length: Int64?) -> Int64? {
            guard let length else { return self.request.knownUpperBound }
            return self.request.resolved(inLength: length)?.upperBound ?? length
        }

        mutating func wake() {
            self.waiter?.resume()
            self.waiter = nil
        }
    }

    /// What a reader gets for a pull.
    enum Pulled: Sendable {
        /// The next byte is held, and what follows it up to an offset may be taken with it.
        case held(Generation, before: Int64)
        /// Everything was yielded.
        case end
        /// The cache cannot help: read this from the origin.
        case direct(ReadDemand)
    }
}
