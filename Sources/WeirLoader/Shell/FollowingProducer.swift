// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// Follows the writer: yields what is held, and waits at the edge for more.
final class FollowingProducer: ChunkProducer {
    private struct State {
        var position: Int64
        /// The rest, straight from the origin, once the cache cannot help.
        var direct: ByteReading.AsyncIterator?
    }

    /// Where the next bytes come from.
    private enum Next {
        case slice(ResidentSlice)
        case end
        case direct(ReadDemand)
    }

    private let loader: ResourceLoader
    private let id: DemandID
    private let state: Mutex<State>

    init(loader: ResourceLoader, id: DemandID, position: Int64) {
        self.loader = loader
        self.id = id
        self.state = Mutex(State(position: position))
    }

    /// Waits until the first byte is there, or the end, or it cannot be had from the cache.
    func begin() async throws {
        _ = try await self.find(at: self.state.withLock { $0.position })
    }

    func next() async throws -> ByteChunk? {
        let (position, direct) = self.state.withLock { ($0.position, $0.direct) }
        if let direct { return try await direct.next() }
        switch try await self.find(at: position) {
        case .end: return nil
        case .slice(let slice):
            self.state.withLock { $0.position = slice.range.upperBound }
            return ByteChunk(slice)
        case .direct(let demand):
            let iterator = try await self.loader.origin.read(demand).makeAsyncIterator()
            self.state.withLock { $0.direct = iterator }
            return try await iterator.next()
        }
    }

    private func find(at position: Int64) async throws -> Next {
        while true {
            switch try await self.loader.pull(self.id, at: position) {
            case .end: return .end
            case .direct(let demand): return .direct(demand)
            case .held(let generation, let limit):
                // Off the actor, since it may read the disk. Where a block is damaged there is a hole now: the
                // loader sees it at the next pull, and fetches it.
                if let slice = generation.checkedSlice(at: position, before: limit) {
                    return .slice(slice)
                }
            }
        }
    }

    func cancel() {
        // Owned by nobody: one visit to the actor, which the last reference to the reading asks for.
        Task { [loader, id] in await loader.depart(id) }
    }
}
