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
    ///   - mediaType: the media type in the description.
    ///   - name: the name in the description.
    ///   - validator: the validator in the description.
    ///   - isLengthKnown: whether the description has the length.
    ///   - chunkSize: the most bytes of a chunk.
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

    /// Returns the description that was given to the initializer.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return self.description
    }

    /// Starts to read.
    ///
    /// - Throws: `SourceError` with `rangeNotSatisfiable` or `changed`, `CancellationError`.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        try self.description.check(demand.version)
        let length = Int64(self.bytes.count)
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        let producer = RangeProducer(range) { [bytes, chunkSize] rest in
            let part = rest.prefix(chunkSize)
            let memory = bytes[Int(part.lowerBound)..<Int(part.upperBound)]
            return ByteChunk(at: part.lowerBound, memory: memory)
        }
        return ByteReading(
            resource: self.description,
            lowerBound: range.lowerBound,
            upperBound: self.description.length == nil ? nil : range.upperBound,
            producer: producer
        )
    }

    /// All bytes are held.
    public var availability: Availability {
        let length = Int64(self.bytes.count)
        return Availability(
            held: RangeSet(0..<length),
            length: self.description.length
        )
    }
}

/// Yields the chunks of a range one after the other, each from the rest of the range.
final class RangeProducer: ChunkProducer {
    private let rest: Mutex<Range<Int64>>
    private let chunk: @Sendable (_ rest: Range<Int64>) -> ByteChunk

    /// Creates a producer for a range.
    ///
    /// - Parameters:
    ///   - range: the bytes.
    ///   - chunk: makes the chunk at the start of the rest, which is not empty; called under a
    ///     lock.
    init(_ range: Range<Int64>, chunk: @escaping @Sendable (_ rest: Range<Int64>) -> ByteChunk) {
        self.rest = Mutex(range)
        self.chunk = chunk
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        return self.rest.withLock { rest -> ByteChunk? in
            guard !rest.isEmpty else { return nil }
            let chunk = self.chunk(rest)
            rest = chunk.range.upperBound..<rest.upperBound
            return chunk
        }
    }

    func cancel() {
        self.rest.withLock { $0 = $0.upperBound..<$0.upperBound }
    }
}

extension ResourceDescription {
    /// Refuses a demand for another version.
    ///
    /// A resource without a validator does not match a version that has one.
    ///
    /// - Throws: `SourceError` with `changed`.
    func check(_ version: ReadDemand.Version?) throws(SourceError) {
        guard let version else { return }
        let isOther = version.validator != nil && version.validator != self.validator
        let isLonger = version.length != nil && self.length != nil && version.length != self.length
        guard isOther || isLonger else { return }
        throw SourceError(.changed, "The resource changed while it was read; start again.")
    }
}
