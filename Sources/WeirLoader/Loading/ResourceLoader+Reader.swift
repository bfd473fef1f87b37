// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A reader as the loader sees it.
    struct Reader {
        /// The requested range.
        let request: RequestedRange
        /// The player's request for which it reads.
        let clientRequest = ClientRequest.current
        /// Set if it fetches only to keep the resource.
        let filling: Filling?
        /// The generation that it reads; stays the same if the resource changes in the meantime.
        var generation: Generation? {
            didSet { self.lease = self.generation?.lease() }
        }
        /// Keeps the generation readable after its removal.
        private var lease: GenerationLease?
        /// Set when the loader fetches nothing more for this reader.
        var detachment: Detachment?
        /// The reason why its missing bytes cannot be fetched.
        var failure: (any Error)?
        /// A reading of the origin for this reader only, since its bytes are not stored.
        var handedOver: HandedOver?
        /// Its wait before the first byte, if the origin's response decides the version of that
        /// byte.
        var beginning: Beginning?
        /// Resumed after each event that it may be waiting for.
        var waiter: CheckedContinuation<Void, Never>?

        init(request: RequestedRange, generation: Generation?, filling: Filling?) {
            self.request = request
            self.filling = filling
            self.generation = generation
            self.lease = generation?.lease()
        }

        /// The end of its range, if known.
        func end(inLength length: Int64?) -> Int64? {
            guard let length else { return self.request.knownUpperBound }
            return self.request.resolved(inLength: length)?.upperBound ?? length
        }

        mutating func wake() {
            self.waiter?.resume()
            self.waiter = nil
        }
    }

    /// A reading whose bytes are not stored, and the offset of its next byte.
    struct HandedOver {
        let reading: ByteReading
        let next: Int64
        /// Whether the reading is proved to continue the cached bytes before it, if a proof is needed.
        let isJoined: Bool
    }

    /// Lets a reader continue after its generation was removed, or its file cannot be opened.
    ///
    /// The rest comes from the origin, in the same version.
    struct Detachment {
        let description: ResourceDescription
        /// Keeps the generation's bytes readable; `nil` if they must not be read any more.
        let lease: GenerationLease?
    }

    /// Lets a reader continue without the loader.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - description: the description of its resource.
    ///   - canReadHeld: whether the held bytes of its generation are readable.
    func detach(_ id: DemandID, from description: ResourceDescription, canReadHeld: Bool) {
        guard let reader = self.readers[id], reader.detachment == nil else { return }
        self.readers[id]?.detachment = Detachment(
            description: description,
            lease: canReadHeld ? reader.generation?.lease() : nil
        )
        self.detachedCount += 1
        self.readers[id]?.wake()
    }

    /// Handles a cached file that cannot be opened: its reader continues without the cache (law 7).
    func cannotRead(_ id: DemandID, _ error: CacheError) {
        guard let reader = self.readers[id],
            let description = reader.generation?.description ?? self.description
        else { return }
        if self.cache.degraded(error) {
            self.observer?(.cacheDegraded(reason: error.message))
        }
        if reader.detachment != nil {
            self.readers[id]?.detachment = Detachment(description: description, lease: nil)
            return
        }
        self.detach(id, from: description, canReadHeld: false)
        self.perform(self.plan.departed(id))
        self.settle()
    }

    /// Releases a generation that was removed, evicted or superseded.
    ///
    /// Its readers continue with its held bytes and the origin; the next reader starts again.
    func retireIfGone() {
        guard let generation = self.generation, !generation.isCurrent else { return }
        let description = generation.description
        for id in self.readers.keys { self.detach(id, from: description, canReadHeld: true) }
        self.abandonFetches()
        self.leave(generation)
        self.startOver()
    }

    /// The result of a reader's pull.
    enum Pulled: Sendable {
        /// The next byte is held; the reader may take bytes up to an offset.
        case held(Generation, before: Int64)
        /// The next byte is not held yet, but its response has begun; only for a reader that
        /// begins.
        case coming
        /// All bytes were yielded.
        case end
        /// The cache cannot help: read this from the origin.
        ///
        /// A generation is given if its version has no validator. Then its bytes just before the
        /// range are fetched again and compared first (law 2).
        case direct(ReadDemand, comparing: Generation?)
    }
}
