// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

/// A source with its bytes in a file; a test decides which of them are held.
///
/// To its reader it looks like a cache: ``residentSlice(_:)`` lends held bytes, and readings yield
/// them as resident chunks. Other bytes come as chunks in memory. ``hold(_:)`` adds held bytes, as
/// a fetch would.
public final class ResidentSource: ByteSource {
    /// The file of all bytes, held or not.
    public let file: TemporaryFile

    private let resource: ScriptedResource
    /// One description for all slices, as a cache has.
    private let description: ResourceDescription
    private let chunkSize: Int64
    private let state: Mutex<(held: RangeSet<Int64>, demands: [ReadDemand])>
    /// Notified under the lock of the state, so that no older value replaces a newer one.
    private let changes = Broadcast<Availability>(capacity: 1)

    /// Writes a resource to a file.
    ///
    /// - Parameters:
    ///   - resource: the resource to read. Without a generation it gets one.
    ///   - held: the held bytes; `nil` for all.
    ///   - chunkSize: the most bytes of a chunk.
    public init(
        _ resource: ScriptedResource,
        held: RangeSet<Int64>? = nil,
        chunkSize: Int = 65_536
    ) {
        precondition(chunkSize > 0, "a chunk is never empty")
        var resource = resource
        resource.generation = resource.generation ?? GenerationID(rawValue: 1)
        self.resource = resource
        self.description = resource.resourceDescription
        self.chunkSize = Int64(chunkSize)
        self.file = TemporaryFile(resource.bytes(in: 0..<resource.length))
        self.state = Mutex((held ?? RangeSet(0..<resource.length), []))
    }

    /// All demands so far, in order.
    public var demands: [ReadDemand] { self.state.withLock { $0.demands } }

    /// Makes the bytes of a range held, and notifies the observers of the availability.
    public func hold(_ range: Range<Int64>) {
        self.state.withLock { state in
            state.held.insert(contentsOf: range.clamped(to: 0..<self.resource.length))
            self.changes.tell(self.availability(of: state.held))
        }
    }

    /// Returns the description of the resource.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return self.description
    }

    /// Starts to read.
    ///
    /// - Throws: `SourceError` with `rangeNotSatisfiable` or `changed`, `CancellationError`.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        self.state.withLock { $0.demands.append(demand) }
        try self.description.check(demand.version)
        guard let range = demand.range.resolved(inLength: self.resource.length) else {
            throw SourceError.pastTheEnd(demand.range, length: self.resource.length)
        }
        return ByteReading(
            resource: self.description,
            lowerBound: range.lowerBound,
            upperBound: self.resource.isLengthKnown ? range.upperBound : nil,
            producer: RangeProducer(range) { self.chunk(of: $0) }
        )
    }

    /// The held bytes from the start of the range on.
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard self.resource.isLengthKnown,
            let wanted = range.resolved(inLength: self.resource.length),
            let run = self.state.withLock({ $0.held.run(containing: wanted.lowerBound) }),
            !wanted.isEmpty
        else { return nil }
        return self.slice(wanted.clamped(to: run))
    }

    /// The currently held bytes.
    public var availability: Availability {
        self.state.withLock { self.availability(of: $0.held) }
    }

    /// The availability now, and again after every ``hold(_:)``.
    public func availabilityChanges() -> AsyncStream<Availability> {
        self.state.withLock { self.changes.stream(startingWith: self.availability(of: $0.held)) }
    }

    private func availability(of held: RangeSet<Int64>) -> Availability {
        Availability(held: held, length: self.description.length)
    }

    private func slice(_ range: Range<Int64>) -> ResidentSlice {
        ResidentSlice(
            file: self.file,
            fileOffset: range.lowerBound,
            range: range,
            resource: self.description
        )
    }

    private func chunk(of rest: Range<Int64>) -> ByteChunk {
        let held = self.state.withLock { $0.held }
        let offset = rest.lowerBound
        let part = rest.clamped(
            to: offset..<(offset + min(self.chunkSize, rest.upperBound - offset))
        )
        if let run = held.run(containing: offset) {
            return ByteChunk(self.slice(part.clamped(to: run)))
        }
        let hole = held.hole(containing: offset, before: rest.upperBound) ?? part
        let missing = part.clamped(to: hole)
        return ByteChunk(at: offset, memory: ByteMemory(self.resource.bytes(in: missing)))
    }
}
