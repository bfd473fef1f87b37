// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A reader as the loader sees it.
    struct Reader {
        /// What it asked for.
        let request: RequestedRange
        /// The player's request that it reads for.
        let clientRequest = ClientRequest.current
        /// Why it fetches, if that is only to keep the resource.
        let filling: Filling?
        /// The generation it reads; stays the same when the resource changes meanwhile.
        var generation: Generation? {
            didSet { self.lease = self.generation?.lease() }
        }
        /// Keeps what the generation holds readable after a removal.
        private var lease: GenerationLease?
        /// Set when the loader does nothing more for it.
        var detachment: Detachment?
        /// Why it cannot have the bytes that are not held.
        var failure: (any Error)?
        /// A reading of the origin that was begun for it, and for no other, since its bytes are not stored.
        var handedOver: ByteReading?
        /// What it waits for before its first byte, if the origin's answer decides which version that is of.
        var beginning: Beginning?
        /// Resumed whenever something that it may be waiting for has happened.
        var waiter: CheckedContinuation<Void, Never>?

        init(request: RequestedRange, generation: Generation?, filling: Filling?) {
            self.request = request
            self.filling = filling
            self.generation = generation
            self.lease = generation?.lease()
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

    /// What a reader goes on with whose generation was removed, or whose file cannot be opened: the rest comes from the
    /// origin, of the same version.
    struct Detachment {
        let description: ResourceDescription
        /// Keeps what it holds readable; `nil` if that is not to be read any more.
        let lease: GenerationLease?
    }

    /// Lets a reader go on by itself.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - description: what it reads.
    ///   - canReadHeld: whether what its generation holds can be read.
    func detach(_ id: DemandID, from description: ResourceDescription, canReadHeld: Bool) {
        guard let reader = self.readers[id], reader.detachment == nil else { return }
        self.readers[id]?.detachment = Detachment(
            description: description,
            lease: canReadHeld ? reader.generation?.lease() : nil
        )
        self.detachedCount += 1
        self.readers[id]?.wake()
    }

    /// The file of what a reader reads cannot be opened: it goes on without the cache (law 7).
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

    /// Lets a generation go that was removed, evicted or superseded: its readers go on with what it holds and the
    /// origin, and the next one starts afresh.
    func retireIfGone() {
        guard let generation = self.generation, !generation.isCurrent else { return }
        let description = generation.description
        for id in self.readers.keys { self.detach(id, from: description, canReadHeld: true) }
        self.abandonFetches()
        self.leave(generation)
        self.startOver()
    }

    /// What a reader gets for a pull.
    enum Pulled: Sendable {
        /// The next byte is held, and what follows it up to an offset may be taken with it.
        case held(Generation, before: Int64)
        /// The next byte is not held yet, but the answer to the request for it has begun; only for a reader that begins.
        case coming
        /// Everything was yielded.
        case end
        /// The cache cannot help: read this from the origin.
        ///
        /// Where a generation is named, no validator vouches for what the origin has now: what it holds before these
        /// bytes is compared first (law 2).
        case direct(ReadDemand, comparing: Generation?)
    }
}
