// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

/// The simplest source: bytes in memory.
public struct MemorySource: ByteSource {
    private let bytes: ByteMemory
    private let description: ResourceDescription
    private let chunkSize: Int

    /// Makes a source of bytes.
    ///
    /// - Parameters:
    ///   - bytes: the resource.
    ///   - mediaType: what the description says the bytes are.
    ///   - name: what the description calls the resource.
    ///   - validator: what the description says identifies the bytes.
    ///   - isLengthKnown: whether the description tells the length.
    ///   - chunkSize: how many bytes a chunk has at most.
    public init(
        bytes: [UInt8],
        mediaType: MediaType? = nil,
        name: String? = nil,
        validator: Validator? = nil,
        isLengthKnown: Bool = true,
        chunkSize: Int = 65_536
    ) {
        precondition(chunkSize > 0, "a chunk is never empty")
        self.bytes = ByteMemory(bytes)
        self.chunkSize = chunkSize
        self.description = ResourceDescription(
            length: isLengthKnown ? Int64(bytes.count) : nil,
            mediaType: mediaType,
            validator: validator,
            name: name,
            acceptsRanges: true
        )
    }

    /// Tells what was given to the initializer.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return self.description
    }

    /// Starts to read.
    ///
    /// - Throws: `SourceError` with `rangeNotSatisfiable` or `changed`, `CancellationError`.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        try self.description.check(demand.pin)
        let length = Int64(self.bytes.count)
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        return ByteReading(
            description: self.description,
            lowerBound: range.lowerBound,
            upperBound: self.description.length == nil ? nil : range.upperBound,
            producer: Producer(self.bytes, range, chunkSize: self.chunkSize)
        )
    }

    /// Everything is held.
    public func availability() -> Availability {
        let length = Int64(self.bytes.count)
        return Availability(
            held: RangeSet(0..<length),
            length: self.description.length
        )
    }

    private final class Producer: ChunkProducer {
        private let bytes: ByteMemory
        private let chunkSize: Int64
        private let rest: Mutex<Range<Int64>>

        init(_ bytes: ByteMemory, _ range: Range<Int64>, chunkSize: Int) {
            self.bytes = bytes
            self.chunkSize = Int64(chunkSize)
            self.rest = Mutex(range)
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            let part = self.rest.withLock { rest in
                let part = rest.prefix(Int(self.chunkSize))
                rest = part.upperBound..<rest.upperBound
                return part
            }
            guard !part.isEmpty else { return nil }
            let place = Int(part.lowerBound)..<Int(part.upperBound)
            return ByteChunk(at: part.lowerBound, memory: self.bytes[place])
        }

        func cancel() {
            self.rest.withLock { $0 = $0.upperBound..<$0.upperBound }
        }
    }
}

extension ResourceDescription {
    /// Holds a demand to its pin.
    ///
    /// A resource without a validator does not satisfy a pin that has one.
    ///
    /// - Throws: `SourceError` with `changed`.
    func check(_ pin: ReadDemand.Pin?) throws(SourceError) {
        guard let pin else { return }
        let isOther = pin.validator != nil && pin.validator != self.validator
        let isLonger = pin.length != nil && self.length != nil && pin.length != self.length
        guard isOther || isLonger else { return }
        throw SourceError(.changed, "The resource is no longer the one that was read; start again.")
    }
}
