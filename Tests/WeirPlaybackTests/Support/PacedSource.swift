// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Bytes that arrive at a rate, and stall where a test chooses.
final class PacedSource: ByteSource {
    /// A pause of a duration once a number of bytes has arrived.
    struct Stall: Sendable {
        var offset: Int64
        var duration: Duration
    }

    private let bytes: [UInt8]
    private let clock: any Clock<Duration>
    private let bytesPerSecond: Int
    private let stalls: [Stall]
    private let failsAt: Int64?
    private let read = Mutex(0)

    init(
        _ bytes: [UInt8],
        clock: any Clock<Duration>,
        bytesPerSecond: Int,
        stalls: [Stall] = [],
        failsAt: Int64? = nil
    ) {
        self.bytes = bytes
        self.clock = clock
        self.bytesPerSecond = bytesPerSecond
        self.stalls = stalls
        self.failsAt = failsAt
    }

    /// How many bytes readers have taken.
    var byteCount: Int { self.read.withLock { $0 } }

    func describe() async throws -> ResourceDescription {
        ResourceDescription(
            length: Int64(self.bytes.count),
            mediaType: nil,
            validator: nil,
            name: nil,
            acceptsRanges: true
        )
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let length = Int64(self.bytes.count)
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        return ByteReading(
            resource: try await self.describe(),
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: Producer(self, range)
        )
    }

    private final class Producer: ChunkProducer {
        private let source: PacedSource
        private let end: Int64
        private let next: Mutex<Int64>

        init(_ source: PacedSource, _ range: Range<Int64>) {
            self.source = source
            self.end = range.upperBound
            self.next = Mutex(range.lowerBound)
        }

        func next() async throws -> ByteChunk? {
            let start = self.next.withLock { $0 }
            guard start < self.end else { return nil }
            if let failsAt = self.source.failsAt, start >= failsAt {
                throw SourceError(.truncated, "The origin broke off.")
            }
            let portion = min(65_536, max(64, self.source.bytesPerSecond / 20))
            let size = min(self.end - start, Int64(portion))
            try await self.source.clock.sleep(
                for: .seconds(Double(size) / Double(self.source.bytesPerSecond))
            )
            for stall in self.source.stalls where (start..<start + size).contains(stall.offset) {
                try await self.source.clock.sleep(for: stall.duration)
            }
            self.next.withLock { $0 = start + size }
            self.source.read.withLock { $0 += Int(size) }
            return ByteChunk(
                at: start,
                memory: ByteMemory(Array(self.source.bytes[Int(start)..<Int(start + size)]))
            )
        }

        func cancel() {}
    }
}
