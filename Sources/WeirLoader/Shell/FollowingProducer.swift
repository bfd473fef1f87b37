// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Follows the writer: yields what is held, and waits at the edge for more.
final class FollowingProducer: ChunkProducer {
    private struct State {
        var position: Int64
        /// The rest, straight from the origin, once the cache cannot help.
        var direct: ByteReading.AsyncIterator?
    }

    private let loader: ResourceLoader
    private let id: DemandID
    private let state: Mutex<State>

    init(loader: ResourceLoader, id: DemandID, position: Int64) {
        self.loader = loader
        self.id = id
        self.state = Mutex(State(position: position))
    }

    func next() async throws -> ByteChunk? {
        let (position, direct) = self.state.withLock { ($0.position, $0.direct) }
        if let direct { return try await direct.next() }
        switch try await self.loader.pull(self.id, at: position) {
        case .end: return nil
        case .chunk(let chunk):
            self.state.withLock { $0.position = chunk.range.upperBound }
            return chunk
        case .direct(let demand):
            let iterator = try await self.loader.origin.read(demand).makeAsyncIterator()
            self.state.withLock { $0.direct = iterator }
            return try await iterator.next()
        }
    }

    func cancel() {
        // Owned by nobody: one visit to the actor, which the last reference to the reading asks for.
        Task { [loader, id] in await loader.depart(id) }
    }
}
