// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// One reading of the source, which reads the requested bytes and reports to its loader.
///
/// Used only by its loader; operations that wait run outside the loader.
final class AssetReading: Sendable {
    private let pulls: AsyncStream<Int>.Continuation
    private let task: Task<Void, Never>

    init(
        _ id: LoadingRequestServer.ReadID,
        _ demand: ReadDemand,
        of source: any ByteSource,
        for loader: AssetLoader
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        self.pulls = continuation
        // Owned by the reading; ends with its source, or when the loader ends the reading. Runs outside the loader,
        // whose queue must not wait for a disk.
        self.task = Task { @concurrent [weak loader] in
            await Self.run(id, demand, of: source, pulls: stream) { event in
                await loader?.heard(event, from: id)
            }
        }
    }

    /// Requests the next bytes, this many or fewer.
    func pull(_ count: Int) {
        self.pulls.yield(count)
    }

    /// Stops the reading, and cancels its read of the source.
    func end() {
        self.pulls.finish()
        self.task.cancel()
    }

    deinit {
        self.end()
    }

    private static func run(
        _ id: LoadingRequestServer.ReadID,
        _ demand: ReadDemand,
        of source: any ByteSource,
        pulls: AsyncStream<Int>,
        tell: (LoadingRequestServer.Event) async -> Void
    ) async {
        do {
            let reading = try await source.read(demand)
            await tell(
                .opened(id, reading.resource, lowerBound: reading.lowerBound)
            )
            var (iterator, rest) = (reading.makeAsyncIterator(), ByteChunk?.none)
            for await count in pulls {
                guard let bytes = try await Self.piece(of: &iterator, &rest, atMost: count) else {
                    return await tell(.ended(id))
                }
                await tell(.arrived(id, bytes))
            }
        } catch let error as SourceError {
            await tell(.failed(id, error))
        } catch is CancellationError where Task.isCancelled {
            // The loader no longer needs the reading.
        } catch {
            await tell(.failed(id, .unnamed(error)))
        }
    }

    /// The next bytes of a reading, in memory, never empty; `nil` at the end of the reading.
    ///
    /// Bytes on disk are read, which may block.
    ///
    /// - Parameters:
    ///   - iterator: yields the chunks of the reading.
    ///   - rest: the rest of the last chunk.
    ///   - limit: the most bytes to return.
    /// - Returns: immutable bytes in memory.
    /// - Throws: as the reading does.
    private static func piece(
        of iterator: inout ByteReading.AsyncIterator,
        _ rest: inout ByteChunk?,
        atMost limit: Int
    ) async throws -> ByteMemory? {
        let chunk: ByteChunk
        if let rest {
            chunk = rest
        } else if let next = try await iterator.next() {
            chunk = next
        } else {
            return nil
        }
        let split = chunk.range.lowerBound + Int64(limit)
        rest = chunk.clamped(to: min(split, chunk.range.upperBound)..<chunk.range.upperBound)
        return try (chunk.clamped(to: chunk.range.lowerBound..<split) ?? chunk).memory()
    }
}

extension SourceError {
    /// Wraps an error of a source that is not a `SourceError`.
    fileprivate static func unnamed(_ error: any Error) -> SourceError {
        SourceError(
            .originFailed,
            "The medium could not be read, because its source threw an unexpected error; see the cause.",
            cause: error
        )
    }
}

/// Counts the bytes that players release, from any thread, for one consumer.
final class ReleaseMeter: Sendable {
    /// Yields an element when bytes are released; releases before the consumer takes it share one element.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let counts = Mutex<[LoadingRequestServer.RequestID: Int]>([:])

    init() {
        (self.signals, self.signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func released(_ id: LoadingRequestServer.RequestID, _ count: Int) {
        self.counts.withLock { $0[id, default: 0] += count }
        self.signal.yield()
    }

    /// Returns the bytes released since the last call.
    func take() -> [LoadingRequestServer.RequestID: Int] {
        self.counts.withLock { counts in
            defer { counts.removeAll(keepingCapacity: true) }
            return counts
        }
    }

    func finish() {
        self.signal.finish()
    }
}
