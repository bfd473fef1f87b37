// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// Yields a completely held range without the loader, unless one of its blocks is damaged.
final class ResidentProducer: ChunkProducer {
    private struct State {
        var position: Int64
        /// A reading of the rest that fetches the damaged blocks again.
        var rest: FollowingProducer?
        var isCancelled = false
    }

    private let generation: Generation
    /// Keeps a removed generation readable for this reader.
    private let lease: GenerationLease
    private let range: Range<Int64>
    private let maximumChunk: Int64
    private let loader: ResourceLoader
    private let state: Mutex<State>

    init(
        generation: Generation,
        range: Range<Int64>,
        maximumChunk: Int64,
        loader: ResourceLoader
    ) {
        self.generation = generation
        self.lease = generation.lease()
        self.range = range
        self.maximumChunk = maximumChunk
        self.loader = loader
        self.state = Mutex(State(position: range.lowerBound))
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        let (position, rest) = self.state.withLock { ($0.position, $0.rest) }
        if let rest { return try await rest.next() }
        guard position < self.range.upperBound else { return nil }
        let limit = min(self.range.upperBound, position.addingClamped(self.maximumChunk))
        // If the file cannot be opened, the follower fetches the bytes, as for a damaged block.
        if let chunk = try? self.generation.checkedChunk(at: position, before: limit) {
            self.state.withLock { $0.position = chunk.range.upperBound }
            return chunk
        }
        return try await self.follow(from: position).next()
    }

    /// Reads on through the loader, which fetches the lost bytes.
    private func follow(from position: Int64) async throws -> FollowingProducer {
        let rest = position..<self.range.upperBound
        let id = try await self.loader.enter(.span(rest))
        let follower = FollowingProducer(
            loader: self.loader,
            id: id,
            position: position,
            start: self.range.lowerBound
        )
        let isCancelled = self.state.withLock { state in
            state.rest = follower
            return state.isCancelled
        }
        if isCancelled { follower.cancel() }
        let (known, found) = (
            self.generation.description, try await self.loader.description(for: id)
        )
        // The generation may have been removed in the meantime; another generation may have the same version.
        let isSameVersion = known.validator != nil && found.map(known.version.agrees) ?? false
        guard isSameVersion || found?.generation == known.generation else {
            throw SourceError(
                .changed,
                "Weir can neither read a part of the cached file nor fetch it again, because the origin may have"
                    + " another version of the resource; play it again.",
                range: rest
            )
        }
        return follower
    }

    func cancel() {
        let rest = self.state.withLock { state in
            state.isCancelled = true
            return state.rest
        }
        rest?.cancel()
    }
}
