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

    /// Whether the chunks are the whole resource although less was asked for: only of a demand that
    /// takes it (``ReadDemand/takesWhole``), from an origin without ranges.
    public let coversWhole: Bool

    private let lifetime: Lifetime

    /// Starts a reading.
    ///
    /// - Parameters:
    ///   - description: the resource.
    ///   - lowerBound: the first byte that `producer` yields.
    ///   - upperBound: where it ends, if that is known.
    ///   - provesEnd: whether the end of the chunks proves the end of the resource.
    ///   - coversWhole: whether the chunks are the whole resource although less was asked for.
    ///   - producer: yields the chunks.
    public init(
        description: ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        provesEnd: Bool = true,
        coversWhole: Bool = false,
        producer: any ChunkProducer
    ) {
        self.description = description
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        self.provesEnd = provesEnd
        self.coversWhole = coversWhole
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
        self.coversWhole = other.coversWhole
        self.lifetime = other.lifetime
    }

    /// Nobody wants the bytes for the moment; the connection that brings them is kept, in case somebody does.
    ///
    /// - Parameter giveWay: called, at most once and from any thread, when another request to the same host comes. Never
    ///   called where the producer has no connection, or cannot tell.
    package func abandon(_ giveWay: @escaping @Sendable () -> Void) {
        (self.lifetime.producer as? any ConnectedProducer)?.abandoned(giveWay)
    }

    /// Somebody wants the bytes after all.
    package func reclaim() {
        (self.lifetime.producer as? any ConnectedProducer)?.reclaimed()
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

/// What stands behind a ``ByteReading``: yields chunks on demand, and can be told to leave.
public protocol ChunkProducer: AnyObject, Sendable {
    /// The next chunk, `nil` after the last. Called by one consumer, one call at a time.
    ///
    /// Isolation: runs wherever its caller is. Throws `CancellationError` at once when the calling task
    /// is cancelled.
    func next() async throws -> ByteChunk?

    /// The consumer has gone: stop, from any thread, at any time, any number of times.
    func cancel()
}

/// A producer whose bytes come over a connection that others may want.
package protocol ConnectedProducer: ChunkProducer {
    /// Nobody wants the bytes for the moment.
    ///
    /// - Parameter giveWay: called, at most once and from any thread, when another request to the same host comes.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void)

    /// Somebody wants the bytes after all.
    func reclaimed()
}

extension ByteReading {
    /// A reading of no bytes at an offset.
    public static func empty(_ description: ResourceDescription, at offset: Int64) -> ByteReading {
        ByteReading(
            description: description,
            lowerBound: offset,
            upperBound: offset,
            producer: EmptyProducer()
        )
    }
}

/// Yields nothing.
private final class EmptyProducer: ChunkProducer {
    func next() async throws -> ByteChunk? { nil }
    func cancel() {}
}
