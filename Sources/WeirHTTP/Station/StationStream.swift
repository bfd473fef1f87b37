// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The bytes that a station sends, pulled piece by piece; when it is dropped, its connection is closed.
public final class StationStream: Sendable {
    private let body: any HTTPBody
    private let failures: StationFailures
    private let observer: SourceObserver?

    init(_ body: any HTTPBody, _ failures: StationFailures, observer: SourceObserver?) {
        self.body = body
        self.failures = failures
        self.observer = observer
    }

    deinit {
        self.body.cancel()
    }

    /// The next bytes, never empty; `nil` when the server has ended the stream.
    ///
    /// Called by one consumer, one call at a time. Nothing is read ahead but one piece.
    ///
    /// - Returns: the bytes, in memory of the transport's.
    /// - Throws: `SourceError` when the connection breaks; `CancellationError`, at once, after ``cancel()`` or when the
    ///   calling task is cancelled.
    public func next() async throws -> ByteMemory? {
        do {
            let memory = try await self.body.next()
            if let memory { self.observer?(.received(byteCount: memory.count)) }
            return memory
        } catch let error as HTTPTransportError {
            throw self.failures.brokenOff(error)
        }
    }

    /// Ends the stream and its connection: from any thread, any number of times.
    ///
    /// A pending ``next()`` ends at once.
    public func cancel() {
        self.body.cancel()
    }
}
