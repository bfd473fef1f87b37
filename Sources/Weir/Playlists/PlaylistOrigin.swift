// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHLS
import WeirHTTP
import WeirSource

/// An origin whose resource may turn out to be an HLS playlist, by its first bytes.
///
/// It lies between the origin and the cache. Plain bytes pass unchanged. Of a playlist only the stored form passes, so
/// that no signature reaches the cache; the text itself goes to the ``PlaylistFeed``.
final class PlaylistOrigin: ByteSource {
    private let origin: HTTPOrigin
    private let feed: PlaylistFeed

    init(_ origin: HTTPOrigin, feed: PlaylistFeed) {
        self.origin = origin
        self.feed = feed
    }

    var availability: Availability { self.origin.availability }

    func describe() async throws -> ResourceDescription {
        // The head of the response does not show what the resource is.
        try await self.read(ReadDemand(.head)).resource
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        guard let validator = version.validator, let mark = PlaylistMark(validator) else {
            return try await self.origin.isUnchanged(version)
        }
        guard case .complete(let text) = mark else { return false }
        // One request asks whether the text changed, and brings it then.
        let (found, isUnchanged) = try await self.feed.load(from: self.origin, unless: text.tag)
        if isUnchanged || found?.digest == text.digest { return true }
        // The cache takes the text with the next reading, which needs no request.
        self.feed.replace(with: found)
        return false
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        if let validator = demand.version?.validator, let mark = PlaylistMark(validator) {
            return try await self.readStored(demand, mark)
        }
        if demand.version == nil, let edition = self.feed.takeUnsaved() ?? self.feed.liveText {
            let description = ResourceDescription(
                length: nil,
                name: self.origin.resource.fileName
            )
            return try self.reading(edition, demand, description)
        }
        let reading = try await self.origin.read(demand)
        if reading.lowerBound > 0, Self.isNamedAsPlaylist(reading.resource),
            try await self.beginsAsPlaylist()
        {
            return try await self.readStored(demand, nil)
        }
        guard reading.lowerBound == 0, reading.upperBound != 0 else { return reading }
        let iterator = reading.makeAsyncIterator()
        var (chunks, start): ([ByteChunk], [UInt8]) = ([], [])
        var end: Result<Void, any Error>?
        while end == nil, Self.mayBegin(start), start.count < Self.startLength {
            do {
                guard let chunk = try await iterator.next() else {
                    end = .success(())
                    break
                }
                chunks.append(chunk)
                start += try chunk.clamped(to: 0..<Int64(Self.startLength))?.bytes() ?? []
            } catch {
                guard !chunks.isEmpty, !(error is CancellationError) else { throw error }
                end = .failure(error)
            }
        }
        reading.putBack(chunks, end: end)
        guard Playlist.canBegin(with: start) else { return reading }
        let isWhole = reading.upperBound == nil || reading.upperBound == reading.resource.length
        guard let whole = isWhole ? reading : try await self.origin.readWhole() else {
            return reading
        }
        guard let text = try await Self.playlistText(of: whole, self.origin.resource) else {
            return whole
        }
        guard let edition = try self.feed.received(text, in: whole.resource, from: self.origin)
        else {
            // A plain M3U: its lines are addresses for people, not parts of a stream.
            var resource = whole.resource
            if Self.isBare(text) {
                // A live stream may not have begun yet.
                resource.cacheDirectives = CacheDirectives(forbidsStoring: true, freshness: .zero)
            }
            return try Self.reading(text, demand, described: resource)
        }
        return try self.reading(edition, demand, whole.resource)
    }

    // MARK: The stored form

    /// Reads a part of the stored form; `mark` is the version that the reader wants, if any.
    private func readStored(_ demand: ReadDemand, _ mark: PlaylistMark?) async throws -> ByteReading
    {
        var known: PlaylistEdition?
        if mark == .live { known = self.feed.liveText }
        if known == nil { known = try await self.feed.load(from: self.origin).edition }
        guard let edition = known else {
            throw PlaylistFeed.replaced(self.origin.resource)
        }
        if case .complete(let text)? = mark, edition.digest != text.digest {
            throw PlaylistFeed.replaced(self.origin.resource)
        }
        var description = ResourceDescription(length: nil, name: self.origin.resource.fileName)
        description.validator = mark?.validator
        return try self.reading(edition, demand, description)
    }

    private func reading(
        _ edition: PlaylistEdition,
        _ demand: ReadDemand,
        _ found: ResourceDescription
    ) throws -> ByteReading {
        var description = found
        description.length = Int64(edition.stored.count)
        description.mediaType = .hlsPlaylist
        description.acceptsRanges = true
        if edition.playlist.life == .complete {
            if found.validator.flatMap({ PlaylistMark($0) }) == nil {
                description.validator = self.feed.mark(of: edition).validator
            }
        } else {
            description.validator = PlaylistMark.live.validator
            description.cacheDirectives = CacheDirectives(forbidsStoring: true, freshness: .zero)
        }
        return try Self.reading(edition.stored, demand, described: description)
    }

    /// A reading of bytes in memory.
    static func reading(
        _ bytes: [UInt8],
        _ demand: ReadDemand,
        described description: ResourceDescription
    ) throws -> ByteReading {
        let length = Int64(bytes.count)
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        var description = description
        description.length = length
        guard !range.isEmpty else { return .empty(description, at: range.lowerBound) }
        let memory = ByteMemory(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        return ByteReading(
            resource: description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: MemoryProducer(ByteChunk(at: range.lowerBound, memory: memory))
        )
    }

    // MARK: First bytes

    /// `#EXTM3U` after a byte order mark.
    private static let startLength = 10

    private static func mayBegin(_ start: [UInt8]) -> Bool {
        [Array("#EXTM3U".utf8), [0xEF, 0xBB, 0xBF] + Array("#EXTM3U".utf8)].contains { mark in
            start.starts(with: mark.prefix(start.count)) && start.count < mark.count
                || start.starts(with: mark)
        }
    }

    /// Whether a text has no line but comments and `#EXTM3U`.
    private static func isBare(_ text: [UInt8]) -> Bool {
        text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.allSatisfy { line in
            line.first == UInt8(ascii: "#") || line.starts(with: [0xEF, 0xBB, 0xBF])
        }
    }

    /// Whether the type or the name says that the resource is a playlist; only the first bytes prove it.
    private static func isNamedAsPlaylist(_ description: ResourceDescription) -> Bool {
        [.hlsPlaylist, .m3uPlaylist].contains(description.mediaType)
            || description.name?.lowercased().contains(".m3u") == true
    }

    private func beginsAsPlaylist() async throws -> Bool {
        let reading = try await self.origin.read(.span(0..<Int64(Self.startLength)))
        var start: [UInt8] = []
        for try await chunk in reading { start += try chunk.bytes() }
        guard Playlist.canBegin(with: start) else { return false }
        return try await self.feed.load(from: self.origin).edition != nil
    }

    /// The whole text of a reading; `nil` for a text over the bound that has no tag of HLS.
    ///
    /// The reading then yields all its chunks again.
    private static func playlistText(
        of reading: ByteReading,
        _ resource: ResourceName
    ) async throws -> [UInt8]? {
        let iterator = reading.makeAsyncIterator()
        var (chunks, text): ([ByteChunk], [UInt8]) = ([], [])
        while let chunk = try await iterator.next() {
            chunks.append(chunk)
            text += try chunk.bytes()
            guard text.count > PlaylistLimits.bytes else { continue }
            guard !Playlist.hasTag(text) else {
                throw PlaylistFeed.unreadable(resource, .tooLong)
            }
            reading.putBack(chunks)
            return nil
        }
        return text
    }

    /// The whole text of a reading.
    ///
    /// - Throws: `badAnswer` for a text over the bound.
    static func text(of reading: ByteReading, _ resource: ResourceName) async throws -> [UInt8] {
        guard let text = try await self.playlistText(of: reading, resource) else {
            throw PlaylistFeed.unreadable(resource, .tooLong)
        }
        return text
    }
}

/// Yields one chunk.
private actor MemoryProducer: ChunkProducer {
    private var chunk: ByteChunk?

    init(_ chunk: ByteChunk) {
        self.chunk = chunk
    }

    func next() -> ByteChunk? { self.chunk.take() }

    /// Does nothing: nothing runs between two calls.
    nonisolated func cancel() {}
}
