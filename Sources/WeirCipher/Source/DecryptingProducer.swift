// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Pulls stored chunks and yields their plain chunks, in runs of bounded size.
final class DecryptingProducer: ChunkProducer {
    private let iterator: ByteReading.AsyncIterator
    /// `rest` holds the bytes that have arrived but are not yet decrypted.
    private let state: Mutex<(decrypter: UnitDecrypter, rest: ByteChunk?, isOver: Bool)>
    /// How many stored bytes the producer must still skip before the wanted ones.
    private let skipped: Mutex<Int64>
    /// The requested plain bytes, for errors; the end may be unknown.
    private let wanted: Range<Int64>

    /// Creates a producer for a reading of stored bytes.
    ///
    /// - Parameters:
    ///   - reading: the stored bytes, from the wanted start or a little earlier.
    ///   - opened: the resource.
    ///   - wanted: the plain bytes; to `Int64.max` if the end is unknown.
    ///   - stored: the requested stored bytes.
    init(
        _ reading: ByteReading,
        _ opened: OpenedResource,
        wanted: Range<Int64>,
        stored: Range<Int64>
    ) {
        self.iterator = reading.makeAsyncIterator()
        self.wanted = wanted
        self.state = Mutex(
            (UnitDecrypter(opened, wanted: wanted, end: stored.upperBound), nil, false)
        )
        // A suffix with an unknown start may start a little early.
        self.skipped = Mutex(stored.lowerBound - reading.lowerBound)
    }

    func next() async throws -> ByteChunk? {
        while true {
            try Task.checkCancellation()
            if let chunk = try self.decrypted() { return chunk }
            if self.state.withLock({ $0.isOver }) { return nil }
            guard let chunk = try await self.iterator.next() else {
                return try self.finished()
            }
            self.state.withLock { $0.rest = self.unskipped(chunk) }
        }
    }

    func cancel() {
        self.iterator.cancel()
    }

    /// Decrypts the bytes that have arrived, up to the next plain chunk.
    private func decrypted() throws -> ByteChunk? {
        try self.state.withLock { state in
            while let rest = state.rest {
                let preferredCount = Int64(state.decrypter.preferredCount)
                let piece = rest.clamped(
                    to: rest.range
                        .lowerBound..<min(
                            rest.range.upperBound,
                            rest.range.lowerBound + preferredCount
                        )
                )
                guard let memory = try piece?.memory() else { break }
                let (count, chunk) = try self.typed { () throws(CipherError) in
                    try state.decrypter.take(memory)
                }
                state.rest = rest.clamped(
                    to: (rest.range.lowerBound + Int64(count))..<rest.range.upperBound
                )
                if let chunk { return chunk }
            }
            return nil
        }
    }

    private func finished() throws -> ByteChunk? {
        try self.state.withLock { state in
            state.isOver = true
            let chunk = try self.typed { () throws(CipherError) in try state.decrypter.finish() }
            if let end = state.decrypter.plainEnd, self.wanted.lowerBound > end {
                throw SourceError.pastTheEnd(.from(self.wanted.lowerBound), length: end)
            }
            return chunk
        }
    }

    private func unskipped(_ chunk: ByteChunk) -> ByteChunk? {
        self.skipped.withLock { skipped in
            guard skipped > 0 else { return chunk }
            let count = min(skipped, Int64(chunk.count))
            skipped -= count
            return chunk.clamped(to: (chunk.range.lowerBound + count)..<chunk.range.upperBound)
        }
    }

    private func typed<Value>(_ body: () throws(CipherError) -> Value) throws(SourceError) -> Value
    {
        do { return try body() } catch {
            var failure = SourceError(error)
            if self.wanted.upperBound < .max { failure.range = self.wanted }
            throw failure
        }
    }
}
