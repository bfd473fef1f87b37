// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// An origin without ranges, whose connections can be reclaimed.
///
/// Each reading covers the demanded range, or the whole resource if the demand accepts the whole.
final class WholeOrigin: ByteSource {
    struct State: Sendable {
        var bodies = 0
        var byteCount: Int64 = 0
        var giveWay: (@Sendable () -> Void)?
        var left = 0
    }

    let state = Watched(State())
    private let length: Int64
    private let isLengthKnown: Bool
    private let provesEnd: Bool
    private let validator: Validator?

    init(length: Int64, isLengthKnown: Bool = true, provesEnd: Bool = true, validator: Validator?) {
        self.length = length
        self.isLengthKnown = isLengthKnown
        self.provesEnd = provesEnd
        self.validator = validator
    }

    func describe() async throws -> ResourceDescription {
        ResourceDescription(
            length: self.isLengthKnown ? self.length : nil,
            validator: self.validator,
            acceptsRanges: false
        )
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let description = try await self.describe()
        guard let wanted = demand.range.resolved(inLength: self.length) else {
            throw SourceError.pastTheEnd(demand.range, length: self.length)
        }
        let range = demand.takesWhole ? 0..<self.length : wanted
        self.state.update { $0.bodies += 1 }
        return ByteReading(
            resource: description,
            lowerBound: range.lowerBound,
            upperBound: self.isLengthKnown ? range.upperBound : nil,
            provesEnd: self.provesEnd,
            coversWhole: demand.takesWhole,
            connected: Producer(self, range)
        )
    }

    private final class Producer: ConnectedProducer {
        private let origin: WholeOrigin
        private let end: Int64
        private let position: Watched<Int64>

        init(_ origin: WholeOrigin, _ range: Range<Int64>) {
            self.origin = origin
            self.end = range.upperBound
            self.position = Watched(range.lowerBound)
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            let end = self.end
            let range = self.position.update { position in
                let lower = position
                position = min(end, lower + 16_384)
                return lower..<position
            }
            guard !range.isEmpty else { return nil }
            self.origin.state.update { $0.byteCount += Int64(range.count) }
            return ByteChunk(
                at: range.lowerBound,
                memory: ByteMemory(PatternBytes.bytes(in: range))
            )
        }

        func cancel() { self.origin.state.update { $0.left += 1 } }

        func abandoned(_ giveWay: @escaping @Sendable () -> Void) {
            self.origin.state.update { $0.giveWay = giveWay }
        }

        func reclaimed() { self.origin.state.update { $0.giveWay = nil } }
    }
}
