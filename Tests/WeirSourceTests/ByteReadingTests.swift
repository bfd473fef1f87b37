// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@Suite("ByteReading")
struct ByteReadingTests {
    /// Yields numbered chunks of one byte forever, and counts its cancellations.
    private final class Producer: ChunkProducer {
        let cancellations = Watched(0)
        private let count = Mutex<Int64>(0)

        func next() async throws -> ByteChunk? {
            let number = self.count.withLock { count in
                count += 1
                return count - 1
            }
            return ByteChunk(at: number, memory: ByteMemory([UInt8(truncatingIfNeeded: number)]))
        }

        func cancel() { self.cancellations.update { $0 += 1 } }
    }

    private static func reading(_ producer: Producer) -> ByteReading {
        ByteReading(
            resource: ResourceDescription(length: nil),
            lowerBound: 0,
            upperBound: nil,
            producer: producer
        )
    }

    @Test("dropping the last copy of a reading cancels its producer exactly once")
    func drop() async throws {
        let producer = Producer()
        var reading: ByteReading? = Self.reading(producer)
        var described = reading?.replacing(resource: ResourceDescription(length: 5))
        var iterator = reading?.makeAsyncIterator()
        #expect(described?.resource.length == 5)
        reading = nil
        #expect(producer.cancellations.value == 0)
        _ = try await iterator?.next()
        described = nil
        #expect(described == nil && reading == nil)
        #expect(producer.cancellations.value == 0)
        let chunk = try await iterator?.next()
        #expect(chunk?.range == 1..<2)
        iterator = nil
        #expect(iterator == nil)
        #expect(producer.cancellations.value == 1)
    }

    @Test("a reading without an iterator cancels its producer, too")
    func unread() {
        let producer = Producer()
        _ = Self.reading(producer)
        #expect(producer.cancellations.value == 1)
    }

    @Test("leaving a loop over a reading ends it")
    func leftLoop() async throws {
        let producer = Producer()
        for try await chunk in Self.reading(producer) where chunk.range.lowerBound == 3 { break }
        #expect(producer.cancellations.value == 1)
    }

    @Test("an empty reading has a position and no chunks")
    func empty() async throws {
        let reading = ByteReading.empty(ResourceDescription(length: 7), at: 7)
        #expect(reading.range == 7..<7)
        #expect(try await reading.makeAsyncIterator().next() == nil)
    }

    @Test("a range has an end when its end is known")
    func ranges() {
        #expect(Self.reading(Producer()).range == nil)
        let reading = ByteReading(
            resource: ResourceDescription(length: 9),
            lowerBound: 2,
            upperBound: 9,
            producer: Producer()
        )
        #expect(reading.range == 2..<9)
    }
}
