// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A reading in progress: what the resource is, which range is read, and its chunks, pulled.
///
/// Iterate it once. Chunks come in order and without gaps from `lowerBound` on, none empty; the end of
/// the iteration means that every byte of the range was yielded, a throw that it was not. Dropping the
/// reading, or cancelling the task that waits for a chunk, ends it at the source.
public struct ByteReading: AsyncSequence, Sendable {
    /// The resource, as the answer described it.
    public let description: ResourceDescription
    /// The first byte of the range.
    public let lowerBound: Int64
    /// The end of the range; `nil` while the length of the resource is unknown.
    public let upperBound: Int64?
    /// Whether the end of the iteration proves the end of the resource: always, but for a body of
    /// unknown length that ends when the connection is closed, by whatever cause (RFC 9112 §6.3).
    public let provesEnd: Bool

    private let lifetime: Lifetime

    /// Starts a reading.
    ///
    /// - Parameters:
    ///   - description: the resource.
    ///   - lowerBound: the first byte that `producer` yields.
    ///   - upperBound: where it ends, if that is known.
    ///   - provesEnd: whether the end of the chunks proves the end of the resource.
    ///   - producer: yields the chunks.
    public init(
        description: ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        provesEnd: Bool = true,
        producer: any ChunkProducer
    ) {
        self.description = description
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        self.provesEnd = provesEnd
        self.lifetime = Lifetime(producer)
    }

    /// The same chunks, of a resource described in another way.
    public func described(as description: ResourceDescription) -> ByteReading {
        ByteReading(self, description: description)
    }

    private init(_ other: ByteReading, description: ResourceDescription) {
        self.description = description
        self.lowerBound = other.lowerBound
        self.upperBound = other.upperBound
        self.provesEnd = other.provesEnd
        self.lifetime = other.lifetime
    }

    /// The range, once its end is known.
    public var range: Range<Int64>? {
        self.upperBound.map { self.lowerBound..<$0 }
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lifetime: self.lifetime)
    }

    /// Pulls one chunk after the other.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let lifetime: Lifetime

        /// The next chunk, or `nil` when the whole range has been yielded.
        ///
        /// - Throws: ``SourceError``, `CancellationError`.
        public func next() async throws -> ByteChunk? {
            try await self.lifetime.producer.next()
        }

        /// The next chunk, without leaving the actor of whoever asks.
        ///
        /// - Parameter actor: where the caller is.
        /// - Returns: as ``next()``.
        /// - Throws: as ``next()``.
        public func next(isolation actor: isolated (any Actor)?) async throws -> ByteChunk? {
            try await self.lifetime.producer.next()
        }

        /// Ends the reading before its time, for all who hold it; whoever waits for a chunk gets an error.
        ///
        /// Not needed by a consumer that goes: with the last copy of a reading and its iterators it ends by itself.
        public func cancel() {
            self.lifetime.producer.cancel()
        }
    }

    /// Ends the producer when the last copy of the reading and of its iterators has gone.
    fileprivate final class Lifetime: Sendable {
        let producer: any ChunkProducer

        init(_ producer: any ChunkProducer) {
            self.producer = producer
        }

        deinit {
            self.producer.cancel()
        }
    }
}
