// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Reads a medium from a position on.
final class MediaFeed: ItemFeed {
    /// How many entries are handed on at once at most: a chunk may hold very many tiny packets.
    private static let portion = 1024
    /// A file that makes its reader jump more often than this is read no further.
    private static let mostJumps = 100_000

    private var item: QueuedItem
    private let source: any ByteSource
    private let start: Duration
    private var parser: AudioStreamParser
    private var chunks: ByteReading.AsyncIterator?
    private var pin: ReadDemand.Pin?
    private var hasRanges = true
    private var hint = AudioTypeHint()
    private var format: AudioFormat?
    private var timeline = ItemTimeline()
    /// The first sample to be heard, once it is known; `nil` for the first of the item.
    private var target: SampleCount?
    /// The title that the tags name, until the item begins to be heard.
    private var title: PlayerTitle?
    private var hasBegun = false
    /// Whether the parser has more to give without being given more.
    private var hasMore = false
    private var jumps = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - item: the item of the entries.
    ///   - source: the medium.
    ///   - start: where to begin.
    init(item: QueuedItem, source: any ByteSource, start: Duration) {
        self.item = item
        self.source = source
        self.start = max(.zero, start)
        self.parser = AudioStreamParser()
    }

    func next() async throws -> [QueueEntry]? {
        do {
            return try await self.read()
        } catch let error as SourceError {
            throw PlayerFailure(.source, error.message, cause: error)
        } catch let error as AudioStreamError {
            throw PlayerFailure(.notAudio, "\(self.item.name): \(error)", cause: error)
        }
    }

    private func read() async throws -> [QueueEntry]? {
        if self.hasMore { return try await self.take() }
        if self.isAtEnd { return nil }
        if self.chunks == nil {
            if self.pin == nil { try await self.open() } else { try await self.reopen() }
        }
        guard let chunk = try await self.chunks?.next() else {
            self.isAtEnd = true
            self.parser.finish()
            return try await self.take()
        }
        self.parser.push(try chunk.memory())
        return try await self.take()
    }

    private func open() async throws {
        let reading = try await self.source.read(.whole)
        let description = reading.resource
        if self.item.isNameless, let name = description.name {
            self.item.name = name
            self.item.isNameless = false
        }
        self.hasRanges = description.acceptsRanges ?? true
        self.hint = AudioTypeHint(
            mediaType: description.mediaType?.description,
            fileExtension: (description.name ?? self.item.name).split(separator: ".").last
                .map(String.init)
        )
        self.pin = ReadDemand.Pin(validator: description.validator, length: description.length)
        self.parser = AudioStreamParser(hint: self.hint, length: description.length)
        self.chunks = reading.makeAsyncIterator()
    }

    /// Reads on where the parser stands, of the same version.
    private func reopen() async throws {
        let demand = ReadDemand(.from(self.parser.offset), pinnedTo: self.pin)
        self.chunks = try await self.source.read(demand).makeAsyncIterator()
    }

    /// Takes what the parser has, and seeks when it is known how.
    private func take() async throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        self.hasMore = false
        while let event = try self.parser.next() {
            switch event {
            case .format(let format):
                self.format = format
                self.timeline.began(format)
                entries.append(.format(format))
            case .tags(let tags):
                guard let title = PlayerTitle(tags) else { break }
                // Until then the item before is heard.
                if self.hasBegun { entries.append(.title(title)) } else { self.title = title }
            case .trouble(let trouble): entries.append(.trouble(trouble))
            case .wanted(let offset):
                try self.jump(to: offset, start: nil)
                return entries
            case .packet(let packet):
                if !self.hasBegun, self.timeline.origin == nil, try await self.seek(from: packet) {
                    entries.append(.joint)
                    return entries
                }
                self.add(packet, to: &entries)
                if entries.count >= Self.portion {
                    self.hasMore = true
                    return entries
                }
            }
        }
        // At the end of an index behind the sound, the parser still wants to read the sound.
        if self.isAtEnd, !self.hasBegun { entries += self.beginning(at: nil) }
        return entries
    }

    private func add(_ packet: AudioPacket, to entries: inout [QueueEntry]) {
        var packet = packet
        self.timeline.passed(packet)
        if !self.hasBegun {
            guard let first = packet.cut(before: self.target) else {
                // Decoded for what comes behind it, and not heard.
                entries.append(.packet(packet))
                return
            }
            entries += self.beginning(at: first)
        }
        entries.append(.packet(packet))
    }

    /// The item is heard from a sample on; `nil`: nothing of it is, the end is there.
    private func beginning(at sample: SampleCount?) -> [QueueEntry] {
        self.hasBegun = true
        var item = self.item
        item.position =
            sample.map { self.timeline.time(of: $0) } ?? min(self.start, self.timeline.endTime)
        return [.item(item)] + (self.title.map { [.title($0)] } ?? [])
    }

    /// Learns from the first packet where the sound begins, and seeks to the start that was asked for.
    ///
    /// - Returns: whether the reading goes on elsewhere.
    private func seek(from first: AudioPacket) async throws -> Bool {
        guard let format = self.format else { return false }
        self.timeline.begins(with: first, format)
        self.target = nil
        guard self.start > .zero else { return false }
        let target = self.timeline.sample(at: self.start)
        self.target = target
        let preroll = target - format.preroll
        guard self.hasRanges, preroll > first.start, let map = self.parser.seekMap() else {
            return false
        }
        var search = map.search(for: preroll)
        while case .read(let range) = search.step {
            search.read(try await self.bytes(in: range))
        }
        guard case .found(let point) = search.step else { return false }
        // The times of the packets from there on are as good as the point's.
        if point.precision != .exact { self.item.precision = .approximate }
        try self.jump(to: point.offset, start: point.start)
        self.timeline.jumped(to: point.start)
        return true
    }

    private func jump(to offset: Int64, start: SampleCount?) throws {
        self.jumps += 1
        guard self.jumps <= Self.mostJumps else {
            throw PlayerFailure(
                .notAudio,
                "\(self.item.name) sends its reader to and fro without end; the file is damaged"
            )
        }
        self.parser.jump(to: offset, start: start)
        self.chunks = nil
        self.isAtEnd = false
    }

    private func bytes(in range: Range<Int64>) async throws -> ByteMemory {
        var bytes: [UInt8] = []
        let reading = try await self.source.read(ReadDemand(.span(range), pinnedTo: self.pin))
        for try await chunk in reading {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return ByteMemory(bytes)
    }
}

extension AudioFormat {
    /// How many samples a decoder must be given before the first sample that is to be right.
    fileprivate var preroll: SampleCount {
        switch self.codec {
        // The bit reservoir reaches 511 bytes back (ISO 11172-3 §2.4.2.7), at the lowest rates nine frames, and the
        // first frame overlaps with one more.
        case .mpegLayer: SampleCount(10 * 1152)
        // Overlap of one, and the state of SBR.
        case .aac: SampleCount(4 * 1024)
        // RFC 7845 §4.6: 80 ms.
        case .opus: SampleCount(3840)
        // The longest block overlaps with its predecessor.
        case .vorbis: SampleCount(8192)
        case .flac, .alac, .pcm, .other: 0
        }
    }
}

extension AudioPacket {
    /// Trims what lies before a sample.
    ///
    /// - Parameter target: the first sample to be heard, in the packets' time; `nil`: all is.
    /// - Returns: the first sample of the packet that is heard; `nil`, and the packet trimmed whole, if none is.
    fileprivate mutating func cut(before target: SampleCount?) -> SampleCount? {
        let target = target ?? self.start
        let first = self.start + self.trimStart
        let end = self.start + self.duration - self.trimEnd
        if end <= target || end <= first {
            self.trimStart = max(0, self.duration - self.trimEnd)
            return nil
        }
        guard first < target else { return first }
        self.trimStart = target - self.start
        return target
    }
}
