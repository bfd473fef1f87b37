// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Yields a reading, and what is left of it from another owner of the directory when the first has gone.
final class SharedProducer: ChunkProducer {
    private struct State {
        var iterator: ByteReading.AsyncIterator?
        var position: Int64
        var isEnded = false
    }

    private let description: ResourceDescription
    private let upperBound: Int64?
    private let source: SharedSource
    private let state: Mutex<State>

    init(_ reading: ByteReading, source: SharedSource) {
        self.description = reading.description
        self.upperBound = reading.upperBound
        self.source = source
        self.state = Mutex(
            State(iterator: reading.makeAsyncIterator(), position: reading.lowerBound)
        )
    }

    func next() async throws -> ByteChunk? {
        while true {
            let (iterator, position) = self.state.withLock { ($0.iterator, $0.position) }
            guard let iterator else { throw SharedSource.closedError }
            do {
                guard let chunk = try await iterator.next() else { return nil }
                self.state.withLock { $0.position = chunk.range.upperBound }
                return chunk
            } catch is Interruption {
                guard position < self.upperBound ?? .max else { return nil }
                try await self.resume(at: position)
            } catch {
                guard !self.state.withLock({ $0.isEnded }) else { throw SharedSource.closedError }
                throw error
            }
        }
    }

    func cancel() {
        // The reading ends its producer when nobody holds it.
        self.state.withLock { $0.iterator = nil }
    }

    /// The source was closed.
    func end() {
        let iterator = self.state.withLock { state in
            state.isEnded = true
            defer { state.iterator = nil }
            return state.iterator
        }
        iterator?.cancel()
    }

    /// Reads on where the bytes stopped.
    private func resume(at position: Int64) async throws {
        let rest: RequestedRange = self.upperBound.map { .span(position..<$0) } ?? .from(position)
        let reading = try await self.source.start(
            ReadDemand(rest, pinnedTo: self.description.pin)
        )
        let generation = self.description.generation
        guard
            self.description.validator != nil
                || generation != nil && generation == reading.description.generation,
            reading.lowerBound == position,
            self.upperBound == nil || reading.upperBound == self.upperBound
        else {
            throw SourceError(
                .changed,
                "The rest could not be had from the process that now owns the cache, since nothing tells whether it is of the same version; play it again."
            )
        }
        let iterator = reading.makeAsyncIterator()
        self.state.withLock { state in
            if !state.isEnded { state.iterator = iterator }
        }
    }
}
