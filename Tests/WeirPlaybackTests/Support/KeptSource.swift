// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource
import WeirTestKit

/// A source that records the requested ranges, and reports either these ranges or no bytes as held.
final class KeptSource: ByteSource {
    private let source: MemorySource
    private let keeps: Bool
    private let length: Int64
    private let asked = Mutex<[Range<Int64>]>([])

    init(_ bytes: [UInt8], keeps: Bool = true, chunkSize: Int = 4096) {
        self.source = MemorySource(bytes: bytes, chunkSize: chunkSize)
        self.keeps = keeps
        self.length = Int64(bytes.count)
    }

    /// The requested ranges within the resource, in order.
    var ranges: [Range<Int64>] { self.asked.withLock { $0 } }

    func describe() async throws -> ResourceDescription { try await self.source.describe() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        if let range = demand.range.resolved(inLength: self.length) {
            self.asked.withLock { $0.append(range) }
        }
        return try await self.source.read(demand)
    }

    var availability: Availability {
        var held = RangeSet<Int64>()
        if self.keeps { for range in self.ranges { held.insert(contentsOf: range) } }
        return Availability(held: held, length: self.length)
    }
}
