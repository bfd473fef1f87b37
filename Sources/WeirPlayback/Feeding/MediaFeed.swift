// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Reads a medium from a position on.
final class MediaFeed: ItemFeed {
    /// How many entries the feed returns at once, at most: a chunk may contain very many tiny
    /// packets.
    private static let portion = 1024
    /// The feed stops reading a file that requires more jumps than this.
    private static let mostJumps = 100_000

    var item: QueuedItem
    private let source: any ByteSource
    let start: Duration
    private let memory: ItemMemory
    var parser: AudioStreamParser
    private var chunks: ByteReading.AsyncIterator?
    private(set) var version: ReadDemand.Version?
    private(set) var hasRanges = true
    /// The bytes that were held when reading began; bytes that arrive later are read like missing
    /// ones.
    private(set) var held = RangeSet<Int64>()
    private var hint = AudioTypeHint()
    /// The last format from the parser.
    var format: AudioFormat?
    /// The streams in a row in the file.
    var links = LinkKnowledge()
    var timeline = ItemTimeline()
    /// The seek; `nil` if the item is heard from its first sample on.
    var seek: MediaSeek?
    /// Whether the last search began and ended in different parts of joined files.
    var leavesPart = false
    /// The titles from the tags.
    private var titles = TitleSequence()
    private(set) var hasBegun = false
    /// Whether the parser can return more events without new bytes.
    private var hasMore = false
    private var jumps = 0
    private(set) var isAtEnd = false
    /// Whether the truncation of the file was reported.
    private var isCutTold = false

    /// A feed of a medium.
    ///
    /// - Parameters:
    ///   - item: the item of the entries.
    ///   - source: the medium.
    ///   - start: where to begin.
    ///   - memory: the facts learned about the medium, from earlier readings and for later ones.
    init(
        item: QueuedItem,
        source: any ByteSource,
        start: Duration,
        memory: ItemMemory = ItemMemory()
    ) {
        self.item = item
        self.source = source
        self.memory = memory
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
        if self.isAtEnd {
            guard self.parser.isCutShort, !self.isCutTold else { return nil }
            self.isCutTold = true
            throw PlayerFailure(
                .notAudio,
                "\(self.item.name) is cut short: its headers describe more sound than it has. Fetch the file again."
            )
        }
        if self.chunks == nil {
            if self.version == nil { try await self.open() } else { try await self.reopen() }
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
        self.hasRanges = description.acceptsRanges ?? (description.length != nil)
        self.held = self.source.availability.held
        self.hint = AudioTypeHint(
            mediaType: description.mediaType?.description,
            fileExtension: (description.name ?? self.item.name).split(separator: ".").last
                .map(String.init)
        )
        self.version = ReadDemand.Version(
            validator: description.validator,
            length: description.length
        )
        self.parser = AudioStreamParser(hint: self.hint, length: description.length)
        self.chunks = reading.makeAsyncIterator()
    }

    /// Continues reading at the parser's offset, in the same version.
    private func reopen() async throws {
        if let length = self.version?.length, self.parser.offset > length {
            throw PlayerFailure(
                .notAudio,
                "\(self.item.name) is cut short or damaged: it continues at byte \(self.parser.offset), but has"
                    + " \(length) bytes"
            )
        }
        let demand = ReadDemand(.from(self.parser.offset), version: self.version)
        self.chunks = try await self.source.read(demand).makeAsyncIterator()
    }

    /// Handles the parser's events, and seeks when the offset of the target is known.
    private func take() async throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        self.hasMore = false
        while let event = try self.parser.next() {
            switch event {
            case .format(let format):
                if let former = self.format, former.section != format.section,
                    format.container != .mp4
                {
                    self.titles.beganPart()
                }
                self.format = format
                self.timeline.began(format)
                entries.append(.format(self.formatOfWhole(format)))
            case .tags(let tags):
                self.titles.read(tags)
            case .trouble(let trouble):
                // Troubles while searching for the start do not matter: that sound is not heard.
                if self.seek?.isUnderWay != true { entries.append(.trouble(trouble)) }
            case .wanted(let offset):
                try self.countJump()
                self.parser.jump(to: offset)
                return entries
            case .packet(let packet):
                if self.timeline.origin == nil {
                    let isFirstSection = self.timeline.isUnused
                    self.begins(with: packet)
                    if isFirstSection, let format = await self.formatByTail() {
                        entries.append(.format(format))
                    }
                    if isFirstSection, let format = await self.formatByParts() {
                        entries.append(.format(format))
                    }
                    if let format = await self.formatByLinks() { entries.append(.format(format)) }
                }
                let title = self.titles.passedPacket()
                // Until the item has begun, the previous item is heard.
                if let title, self.hasBegun { entries.append(.title(title)) }
                self.add(packet, to: &entries)
                if entries.count >= Self.portion {
                    self.hasMore = true
                    return entries
                }
            }
        }
        self.remember()
        if self.hasBegun, !self.isAtEnd, let format = await self.formatByLinks() {
            entries.append(.format(format))
        }
        if self.isAtEnd, let whole = self.format.flatMap({ self.retold($0) }) {
            entries.append(.format(whole))
        }
        // A tag after the sound provides the title, if there is no other title.
        if self.isAtEnd, self.hasBegun, let title = self.titles.titleAtEnd() {
            entries.append(.title(title))
        }
        // After an index at the end of the file, the parser wants to jump back to the sound;
        // `.wanted` returns above.
        if self.isAtEnd, !self.hasBegun { entries += self.beginning(at: nil) }
        if !self.isAtEnd, self.seek?.isUnderWay == true, try await self.approach() {
            entries.append(.joint)
        }
        return entries
    }

    /// Keeps the learned facts for the next reading of this version.
    private func remember() {
        guard let version = self.version, self.timeline.origin != nil,
            let learned = self.parser.learned
        else { return }
        self.memory.keep(learned, of: version)
    }

    private func add(_ packet: AudioPacket, to entries: inout [QueueEntry]) {
        var packet = packet
        self.timeline.passed(packet)
        if !self.hasBegun {
            if let seek = self.seek, seek.isUnderWay {
                // No heard sample needs this packet.
                if packet.start + packet.duration <= seek.preroll { return }
                self.seek?.isUnderWay = false
            }
            guard let first = packet.cut(before: self.seek?.target) else {
                // Decoded as preroll, and not heard.
                entries.append(.packet(packet))
                return
            }
            entries += self.beginning(at: first)
        }
        entries.append(.packet(packet))
    }

    /// The item is heard from a sample on; `nil`: the item has ended, and no sample is heard.
    private func beginning(at sample: SampleCount?) -> [QueueEntry] {
        self.hasBegun = true
        var item = self.item
        item.position =
            sample.map { self.timeline.time(of: $0) } ?? min(self.start, self.timeline.endTime)
        let title = self.titles.title
        // Another part of the file may have had a title that was heard before the seek.
        let isTold = title != PlayerTitle() || self.start > .zero
        return [.item(item)] + (isTold ? [.title(title)] : [])
    }

    /// A search ended in another part of the file, whose tags were skipped.
    func leftPart() { self.titles = TitleSequence() }

    /// The first packet of a section: the beginning of the sound is known now, and so is the target
    /// of the seek.
    private func begins(with first: AudioPacket) {
        guard let format = self.format else { return }
        let isFirst = self.timeline.isUnused
        self.timeline.begins(with: first, format)
        if isFirst, let version = self.version, let learned = self.memory.frames(of: version) {
            self.parser.adopt(learned)
        }
        guard !self.hasBegun else { return }
        self.seek = nil
        guard self.start > .zero else { return }
        let target = self.timeline.sample(at: self.start)
        self.seek = MediaSeek(
            target: target,
            preroll: target - format.preroll,
            origin: first.offset
        )
    }

    /// The format with its duration, if only the end of the file shows it and that end is held
    /// already.
    ///
    /// The feed makes no request for the end: if it is not held, the feed reads it in its turn.
    private func formatByTail() async -> AudioFormat? {
        guard var format = self.format, format.duration == nil, let length = self.version?.length,
            length > 0
        else { return nil }
        let tail = max(0, length - AudioStreamParser.tailByteCount)..<length
        guard self.held.run(containing: tail.lowerBound).map({ $0.upperBound >= length }) == true,
            let bytes = try? await self.bytes(in: tail),
            let duration = self.parser.duration(byTail: bytes, at: tail.lowerBound)
        else { return nil }
        format.duration = duration
        self.format = format
        return format
    }

    /// The format with its duration, if the beginning shows that files were joined: the feed looks
    /// up the parts.
    private func formatByParts() async -> AudioFormat? {
        guard self.hasRanges, var format = self.format,
            var search = self.parser.seekMap()?.outlineSearch
        else { return nil }
        while case .read(let range) = search.step {
            guard let bytes = try? await self.bytes(in: range) else { return nil }
            search.read(bytes)
        }
        self.parser.adopt(search)
        guard let duration = self.parser.learnedDuration, duration != format.duration else {
            return nil
        }
        format.duration = duration
        self.format = format
        return format
    }

    /// Continues reading at a point from a search.
    func jump(to point: SeekPoint) throws {
        try self.countJump()
        self.parser.jump(to: point)
        self.timeline.jumped(to: point.start)
    }

    private func countJump() throws {
        self.jumps += 1
        guard self.jumps <= Self.mostJumps else {
            throw PlayerFailure(
                .notAudio,
                "\(self.item.name) makes Weir seek back and forth without end; the file is damaged"
            )
        }
        self.chunks = nil
        self.isAtEnd = false
    }

    func bytes(in range: Range<Int64>) async throws -> ByteMemory {
        var bytes: [UInt8] = []
        let reading = try await self.source.read(ReadDemand(.span(range), version: self.version))
        for try await chunk in reading {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return ByteMemory(bytes)
    }
}

extension AudioFormat {
    /// How many samples a decoder needs before the first sample that must be correct.
    fileprivate var preroll: SampleCount {
        switch self.codec {
        case .mpegLayer: self.reservoirPreroll
        // An overlap of one frame, and the state of SBR.
        case .aac: SampleCount(4 * 1024)
        // RFC 7845 §4.6 asks for 80 ms: then the sound is as without a seek. After a second the
        // samples are equal, too.
        case .opus: SampleCount(48_000)
        // The longest block overlaps with the block before it.
        case .vorbis: SampleCount(8192)
        case .flac, .alac, .pcm, .other: 0
        }
    }
}

extension AudioPacket {
    /// Trims the samples before a target.
    ///
    /// - Parameter target: the first sample to be heard, in the packets' time; `nil`: all are
    ///   heard.
    /// - Returns: the first heard sample of the packet; `nil` if none is heard: the packet is then
    ///   trimmed completely.
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
