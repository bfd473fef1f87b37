// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reading in progress: the resource, its range, and its chunks, which the consumer pulls.
///
/// Iterate it once. Chunks come in order and without gaps from `lowerBound` on, none empty. The end
/// of the iteration means that every byte of the range was yielded; an error means that it was not.
/// A reading ends at the source when its last copy is deallocated, or when the task that waits for
/// a chunk is cancelled.
public struct ByteReading: AsyncSequence, Sendable {
    /// The resource, as the source's response described it.
    public let resource: ResourceDescription
    /// The first byte of the range.
    public let lowerBound: Int64
    /// The end of the range; `nil` if neither the request nor the length of the resource limits it.
    public let upperBound: Int64?
    /// Whether the end of the iteration proves the end of the resource.
    ///
    /// It is false only for a body of unknown length that ends when the connection is closed, for
    /// any reason (RFC 9112 §6.3).
    public let provesEnd: Bool

    /// Whether the chunks are the whole resource although the demand was for less.
    ///
    /// This happens only if the demand allows it (``ReadDemand/takesWhole``), with an origin
    /// without ranges.
    public let coversWhole: Bool

    private let lifetime: Lifetime

    /// Starts a reading.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - lowerBound: the first byte that `producer` yields.
    ///   - upperBound: the end of the range; `nil` if it is unknown.
    ///   - provesEnd: whether the end of the chunks proves the end of the resource.
    ///   - coversWhole: whether the chunks are the whole resource although the demand was for less.
    ///   - producer: yields the chunks.
    public init(
        resource: ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        provesEnd: Bool = true,
        coversWhole: Bool = false,
        producer: any ChunkProducer
    ) {
        self.resource = resource
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        self.provesEnd = provesEnd
        self.coversWhole = coversWhole
        self.lifetime = Lifetime(producer)
    }

    /// Starts a reading whose producer has a connection that other requests may need.
    ///
    /// The parameters are those of the other initializer.
    package init(
        resource: ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        provesEnd: Bool = true,
        coversWhole: Bool = false,
        connected producer: any ConnectedProducer
    ) {
        self.resource = resource
        self.lowerBound = lowerBound
        self.upperBound = upperBound
        self.provesEnd = provesEnd
        self.coversWhole = coversWhole
        self.lifetime = Lifetime(producer, connected: producer)
    }

    private init(_ other: ByteReading, resource: ResourceDescription) {
        self.resource = resource
        self.lowerBound = other.lowerBound
        self.upperBound = other.upperBound
        self.provesEnd = other.provesEnd
        self.coversWhole = other.coversWhole
        self.lifetime = other.lifetime
    }

    /// The same chunks, with another description of the resource.
    public func replacing(resource: ResourceDescription) -> ByteReading {
        ByteReading(self, resource: resource)
    }

    /// The same range of the same resource; the producer reads this reading and yields the chunks.
    public func replacing(producer: any ChunkProducer) -> ByteReading {
        ByteReading(
            resource: self.resource,
            lowerBound: self.lowerBound,
            upperBound: self.upperBound,
            provesEnd: self.provesEnd,
            coversWhole: self.coversWhole,
            producer: producer
        )
    }

    /// A range of another resource, which a producer makes from this reading; `provesEnd` stays the
    /// same.
    ///
    /// - Parameters:
    ///   - resource: the other resource.
    ///   - lowerBound: the first byte that `producer` yields.
    ///   - upperBound: the end of the range; `nil` if it is unknown.
    ///   - producer: reads this reading.
    /// - Returns: the reading of the other resource.
    public func replacing(
        resource: ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        producer: any ChunkProducer
    ) -> ByteReading {
        ByteReading(
            resource: resource,
            lowerBound: lowerBound,
            upperBound: upperBound,
            provesEnd: self.provesEnd,
            producer: producer
        )
    }

    /// An event of a reading, as ``observed(by:)`` reports it.
    package enum Progress {
        /// The reading yielded a chunk of this many bytes.
        case yielded(Int)
        /// The reading yielded the whole range.
        case ended
        /// The reading threw an error.
        case failed(any Error)
        /// The last consumer is gone, or has cancelled the reading.
        case left
    }

    /// Sets the one observer of this reading, which receives its events.
    ///
    /// - Parameter observer: called from the consumer's thread, and for ``Progress/left`` from any
    ///   thread; it may receive an end more than once.
    /// - Returns: this reading.
    package func observed(by observer: @escaping @Sendable (Progress) -> Void) -> ByteReading {
        self.lifetime.observe(observer)
        return self
    }

    /// Returns chunks to the start of the reading, which yields them first.
    ///
    /// The code that took the chunks calls it, before anything else iterates.
    ///
    /// - Parameters:
    ///   - chunks: the chunks that were taken last, in order.
    ///   - end: how the reading ended after them; `nil` if it goes on.
    package func putBack(_ chunks: [ByteChunk], end: Result<Void, any Error>? = nil) {
        self.lifetime.putBack(chunks, end: end)
    }

    /// Keeps the connection of the reading while no reader wants its bytes, in case a reader
    /// returns.
    ///
    /// - Parameter giveWay: called, at most once and from any thread, when another request to the
    ///   same host arrives. Never called if the producer has no connection, or cannot detect other
    ///   requests.
    package func abandon(_ giveWay: @escaping @Sendable () -> Void) {
        self.lifetime.connected?.abandoned(giveWay)
    }

    /// Ends the state of ``abandon(_:)``: a reader wants the bytes again.
    package func reclaim() {
        self.lifetime.connected?.reclaimed()
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
            try await self.lifetime.next()
        }

        /// The next chunk, without leaving the caller's actor.
        ///
        /// - Parameter actor: the caller's actor.
        /// - Returns: as ``next()``.
        /// - Throws: as ``next()``.
        public func next(isolation actor: isolated (any Actor)?) async throws -> ByteChunk? {
            try await self.lifetime.next()
        }

        /// Ends the reading early, for all its copies; a consumer that waits for a chunk gets an
        /// error.
        ///
        /// A consumer that just stops need not call it: a reading ends with its last copy and its
        /// last iterator.
        public func cancel() {
            self.lifetime.cancel()
        }
    }

    /// The shared state of a reading's copies and iterators; cancels the producer when the last of
    /// them is gone.
    fileprivate final class Lifetime: Sendable {
        private struct State {
            /// Chunks that were returned by ``ByteReading/putBack(_:end:)``.
            var chunks: ArraySlice<ByteChunk> = []
            /// How the reading ended after them.
            var end: Result<Void, any Error>?
            /// Why the reading was closed.
            var closure: SourceError?
            var observer: (@Sendable (Progress) -> Void)?
            /// Whether chunks were put back before the observer was set, so that it has not seen
            /// them.
            var hasUnobserved = false
        }

        let producer: any ChunkProducer
        /// The producer, if it has a connection that other requests may need.
        let connected: (any ConnectedProducer)?
        private let state = Mutex(State())

        init(_ producer: any ChunkProducer, connected: (any ConnectedProducer)? = nil) {
            self.producer = producer
            self.connected = connected
        }

        deinit {
            self.cancel()
        }

        func cancel() {
            self.producer.cancel()
            self.observer?(.left)
        }

        func observe(_ observer: @escaping @Sendable (Progress) -> Void) {
            self.state.withLock { state in
                state.hasUnobserved =
                    state.observer == nil && (!state.chunks.isEmpty || state.end != nil)
                state.observer = observer
            }
        }

        func putBack(_ chunks: [ByteChunk], end: Result<Void, any Error>?) {
            self.state.withLock { state in
                state.chunks = chunks + state.chunks
                state.end = end ?? state.end
            }
        }

        /// Ends the reading: this and every later call of ``next()`` throws the error.
        func close(throwing error: SourceError) {
            self.state.withLock { $0.closure = error }
            self.cancel()
        }

        func next() async throws -> ByteChunk? {
            if let (known, isUnobserved) = self.takeKnown() {
                if isUnobserved { self.report(known) }
                return try known.get()
            }
            let chunk: ByteChunk?
            do {
                chunk = try await self.producer.next()
            } catch {
                self.observer?(.failed(error))
                throw self.closure ?? error
            }
            self.observer?(chunk.map { .yielded($0.count) } ?? .ended)
            if let closure { throw closure }
            return chunk
        }

        private func report(_ result: Result<ByteChunk?, any Error>) {
            switch result {
            case .success(let chunk): self.observer?(chunk.map { .yielded($0.count) } ?? .ended)
            case .failure(let error): self.observer?(.failed(error))
            }
        }

        private var closure: SourceError? { self.state.withLock { $0.closure } }
        private var observer: (@Sendable (Progress) -> Void)? {
            self.state.withLock { $0.observer }
        }

        /// A result that does not need the producer: the closing error, a returned chunk, or the
        /// end; and whether the observer has not seen it.
        private func takeKnown() -> (Result<ByteChunk?, any Error>, isUnobserved: Bool)? {
            self.state.withLock { state in
                if let closure = state.closure { return (.failure(closure), false) }
                guard !state.chunks.isEmpty || state.end != nil else { return nil }
                if Task.isCancelled { return (.failure(CancellationError()), false) }
                if let chunk = state.chunks.popFirst() {
                    return (.success(chunk), state.hasUnobserved)
                }
                return state.end.map { ($0.map { nil }, state.hasUnobserved) }
            }
        }
    }

    /// The running readings of a source that can be closed.
    package final class Registry: Sendable {
        private struct State {
            var closure: SourceError?
            var last = 0
            var readings: [Int: Weak<Lifetime>] = [:]
        }

        private let state = Mutex(State())

        package init() {}

        /// Throws the error of ``close(throwing:)`` once that was called.
        package func check() throws(SourceError) {
            if let closure = self.state.withLock({ $0.closure }) { throw closure }
        }

        /// Whether ``close(throwing:)`` was called.
        package var isClosed: Bool { self.state.withLock { $0.closure != nil } }

        /// Adds a reading, and closes it if the source has been closed.
        package func add(_ reading: ByteReading) {
            let closure = self.state.withLock { state in
                state.last += 1
                state.readings = state.readings.filter { $0.value.object != nil }
                state.readings[state.last] = Weak(reading.lifetime)
                return state.closure
            }
            if let closure { reading.lifetime.close(throwing: closure) }
        }

        /// Ends all readings, including future ones, with an error.
        package func close(throwing error: SourceError) {
            let readings = self.state.withLock { state in
                state.closure = error
                defer { state.readings = [:] }
                return state.readings
            }
            for reading in readings.values { reading.object?.close(throwing: error) }
        }
    }
}

/// The implementation behind a ``ByteReading``: yields chunks on demand, and can be cancelled.
public protocol ChunkProducer: AnyObject, Sendable {
    /// Returns the next chunk, `nil` after the last.
    ///
    /// One consumer calls it, one call at a time. Isolation: runs on its caller's actor. Throws
    /// `CancellationError` at once when the calling task is cancelled.
    func next() async throws -> ByteChunk?

    /// Stops the producer, because the consumer is gone; from any thread, at any time, any number
    /// of times.
    func cancel()
}

/// A producer with a connection that other requests may need.
package protocol ConnectedProducer: ChunkProducer {
    /// No reader wants the bytes at the moment.
    ///
    /// - Parameter giveWay: called, at most once and from any thread, when another request to the
    ///   same host arrives.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void)

    /// A reader wants the bytes again.
    func reclaimed()
}

extension ByteReading {
    /// A reading of no bytes at an offset.
    public static func empty(_ resource: ResourceDescription, at offset: Int64) -> ByteReading {
        ByteReading(
            resource: resource,
            lowerBound: offset,
            upperBound: offset,
            producer: EmptyProducer()
        )
    }
}

/// Yields no chunk.
private final class EmptyProducer: ChunkProducer {
    func next() async throws -> ByteChunk? { nil }
    func cancel() {}
}
