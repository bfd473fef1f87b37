// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The head of a reading on the wire.
struct ReadingMessage: Codable, Hashable, Sendable {
    private var resource: DescriptionMessage
    private var lowerBound: Int64
    private var upperBound: Int64?
    private var provesEnd: Bool
    /// Whether the whole comes though less was asked for; who knows nothing of it never asks so.
    private var coversWhole: Bool?

    init(_ reading: ByteReading) {
        self.resource = DescriptionMessage(reading.description)
        self.lowerBound = reading.lowerBound
        self.upperBound = reading.upperBound
        self.provesEnd = reading.provesEnd
        self.coversWhole = reading.coversWhole ? true : nil
    }

    /// The reading, its bytes yielded by a producer; `nil` if the bounds make no sense.
    func reading(from producer: (Int64, Int64?) -> any ChunkProducer) -> ByteReading? {
        let end = self.upperBound ?? ResourceLength.maximum
        guard ResourceLength.checked(from: self.lowerBound, to: end) != nil else { return nil }
        return ByteReading(
            description: self.resource.description,
            lowerBound: self.lowerBound,
            upperBound: self.upperBound,
            provesEnd: self.provesEnd,
            coversWhole: self.coversWhole ?? false,
            producer: producer(self.lowerBound, self.upperBound)
        )
    }
}
