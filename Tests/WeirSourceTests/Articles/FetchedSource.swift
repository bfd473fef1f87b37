// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A resource that a function fetches piece by piece: an entry of an archive, a column of a database, the download call
/// of another library.
struct FetchedSource: ByteSource {
    /// Bytes in the resource.
    let length: Int64
    /// The file name, without a folder.
    let name: String
    /// Differs whenever a byte differs.
    let version: String
    /// Fetches exactly these bytes.
    let fetch: @Sendable (Range<Int64>) async throws -> [UInt8]

    func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return ResourceDescription(
            length: self.length,
            validator: .revision(self.version),
            name: self.name,
            acceptsRanges: true
        )
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let resource = try await self.describe()
        if let pin = demand.pin, !pin.agrees(with: resource) {
            throw SourceError(.changed, "\(self.name) is another version now; read it again.")
        }
        guard let range = demand.range.resolved(inLength: self.length) else {
            throw SourceError.pastTheEnd(demand.range, length: self.length)
        }
        return ByteReading(
            resource: resource,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: FetchedPieces(range, of: self)
        )
    }
}

/// Fetches one piece for each call, and nothing ahead of it.
actor FetchedPieces: ChunkProducer {
    private let source: FetchedSource
    private var rest: Range<Int64>

    init(_ range: Range<Int64>, of source: FetchedSource) {
        self.source = source
        self.rest = range
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        guard !self.rest.isEmpty else { return nil }
        let end = min(self.rest.upperBound, self.rest.lowerBound + 65_536)
        let piece = self.rest.lowerBound..<end
        let bytes = try await self.source.fetch(piece)
        guard bytes.count == piece.count else {
            throw SourceError(
                .truncated,
                "\(self.source.name) gave \(bytes.count) of \(piece.count) bytes; read it again.",
                range: piece
            )
        }
        self.rest = end..<self.rest.upperBound
        return ByteChunk(at: piece.lowerBound, memory: ByteMemory(bytes))
    }

    /// The fetch runs in the task that waits for it, whose cancellation ends it; nothing else is open.
    nonisolated func cancel() {}
}
