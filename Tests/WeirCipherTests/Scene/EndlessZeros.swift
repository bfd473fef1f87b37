// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// A stored file of zeros with any length, which records the requested ranges.
struct EndlessZeros: ByteSource {
    let description: ResourceDescription
    let asked = Watched<[Range<Int64>]>([])

    init(length: Int64) {
        self.description = ResourceDescription(length: length, validator: .revision("0"))
    }

    func describe() async throws -> ResourceDescription { self.description }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard let length = self.description.length,
            let range = demand.range.resolved(inLength: length)
        else { throw SourceError(.rangeNotSatisfiable, "The test asks past the end.") }
        self.asked.update { $0.append(range) }
        return ByteReading(
            resource: self.description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: Zeros(range)
        )
    }

    private final class Zeros: ChunkProducer {
        private let rest: Watched<Range<Int64>>

        init(_ range: Range<Int64>) {
            self.rest = Watched(range)
        }

        func next() async throws -> ByteChunk? {
            self.rest.update { rest in
                guard !rest.isEmpty else { return nil }
                let count = min(rest.upperBound - rest.lowerBound, 10_007)
                defer { rest = (rest.lowerBound + count)..<rest.upperBound }
                return ByteChunk(
                    at: rest.lowerBound,
                    memory: ByteMemory([UInt8](repeating: 0, count: Int(count)))
                )
            }
        }

        func cancel() {}
    }
}
