// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
