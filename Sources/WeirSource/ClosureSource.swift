// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source made of two closures: one describes the resource, the other returns its bytes.
///
/// ```swift
/// let source = ClosureSource {
///     ResourceDescription(length: entry.size, validator: .revision(entry.hash), name: entry.name)
/// } read: { range in
///     try await archive.bytes(of: entry, in: range)
/// }
/// ```
///
/// The closures run in the task that describes or reads, once for each call, and respect its cancellation. The
/// source does not read ahead of a reader. An error other than ``SourceError`` and `CancellationError` becomes a
/// ``SourceError`` with the code `failed`.
public struct ClosureSource: ByteSource {
    fileprivate let pieceLength: Int
    private let description: @Sendable () async throws -> ResourceDescription
    fileprivate let bytes: @Sendable (Range<Int64>) async throws -> ByteMemory

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - pieceLength: the most bytes that one call of `read` is asked for; at least 1.
    ///   - describe: describes the current resource. If the validator differs whenever a byte differs, the bytes
    ///     are kept across restarts. An unknown length is `nil`.
    ///   - read: returns all bytes of the range; fewer bytes are an error, `truncated`. If the length is unknown,
    ///     fewer bytes mean the end of the resource.
    public init<Bytes: Collection & Sendable>(
        pieceLength: Int = 262_144,
        describe: @escaping @Sendable () async throws -> ResourceDescription,
        read: @escaping @Sendable (Range<Int64>) async throws -> Bytes
    ) where Bytes.Element == UInt8 {
        precondition(pieceLength > 0, "a piece has bytes")
        self.pieceLength = pieceLength
        self.description = describe
        self.bytes = { ByteMemory(copying: try await read($0)) }
    }

    /// Returns the first closure's description.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        var description = try await Self.naming { try await self.description() }
        description.acceptsRanges = true
        return description
    }

    /// Starts to read.
    ///
    /// - Throws: ``SourceError`` with `rangeNotSatisfiable` for a range that starts past the end, or for the last
    ///   bytes of a resource of unknown length; with `changed` for another version. Errors of the first closure.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        let resource = try await self.describe()
        let name = resource.name ?? "The resource"
        if let version = demand.version, !version.agrees(with: resource) {
            throw SourceError(.changed, "\(name) is another version now; read it again.")
        }
        let range: Range<Int64>
        if let length = resource.length {
            guard let resolved = demand.range.resolved(inLength: length) else {
                throw SourceError.pastTheEnd(demand.range, length: length)
            }
            range = resolved
        } else {
            guard let start = demand.range.knownLowerBound, start >= 0 else {
                throw SourceError(
                    .rangeNotSatisfiable,
                    "\(name) has no known length, so its range \(demand.range) cannot be found; read it from its start."
                )
            }
            range = start..<max(start, demand.range.knownUpperBound ?? .max)
        }
        return ByteReading(
            resource: resource,
            lowerBound: range.lowerBound,
            upperBound: resource.length == nil ? nil : range.upperBound,
            producer: ClosureProducer(range, of: self, resource)
        )
    }

    /// Turns the application's own errors into errors with a code.
    fileprivate static func naming<Result>(
        _ operation: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch let error where !(error is SourceError || error is CancellationError) {
            throw SourceError(unnamed: error, attempt: "read the source", advice: "read it again")
        }
    }
}

/// Reads one piece at each call.
private actor ClosureProducer: ChunkProducer {
    private let source: ClosureSource
    private let resource: ResourceDescription
    private var rest: Range<Int64>

    init(_ range: Range<Int64>, of source: ClosureSource, _ resource: ResourceDescription) {
        self.rest = range
        self.source = source
        self.resource = resource
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        let (source, piece) = (self.source, self.rest.prefix(self.source.pieceLength))
        guard !piece.isEmpty else { return nil }
        let memory = try await ClosureSource.naming { try await source.bytes(piece) }
        guard
            memory.count == piece.count
                || (self.resource.length == nil && memory.count < piece.count)
        else {
            throw SourceError(
                .truncated,
                "\(self.resource.name ?? "The resource") gave \(memory.count) of \(piece.count) bytes; read it again.",
                range: piece
            )
        }
        let isLast = memory.count < piece.count
        self.rest = (isLast ? self.rest.upperBound : piece.upperBound)..<self.rest.upperBound
        return memory.count == 0 ? nil : ByteChunk(at: piece.lowerBound, memory: memory)
    }

    /// Does nothing: nothing runs between two calls, and a call ends with the task that waits for it.
    nonisolated func cancel() {}
}
