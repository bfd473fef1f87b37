// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Stretches of bytes without a gap, and the parser's findings in them.
extension RecordingMachine {
    /// The following bytes come from elsewhere.
    mutating func begin(_ stretch: StreamStretch) {
        self.container = stretch.container
        switch stretch.container {
        case .mpegAudio?, .adts?, .flac?: self.layout = .frames
        case .ogg?: self.layout = .pages
        case .wave?, .mp4?, .loas?: self.layout = .whole
        case nil: self.layout = .none
        }
        self.held.restart(at: stretch.offset)
        self.head = stretch.head.array
        self.format = stretch.format
        self.tagTitle = nil
        self.nextTagTitle = nil
        if let tags = stretch.tags { self.noticed(tags) }
        self.waiting = nil
        self.firstFrame = nil
        self.isSettled = false
        self.section = 0
        self.walk.restart()
        self.waitingPages = []
        self.lastPage = nil
        self.link = nil
        self.awaitedCut = nil
        self.awaited = nil
        self.said = .nothing
        if let metadata = stretch.metadata, metadata.title != nil {
            self.said = .title(Self.title(metadata))
        } else if let interval = stretch.info.headers.metadataInterval, interval <= Self.mostAwaited
        {
            self.awaited = stretch.offset + Int64(interval)
        }
        if !stretch.head.isEmpty { self.link = RecordingLink(start: stretch.offset, hasHead: true) }
    }

    /// Takes the next packets.
    mutating func take(_ packets: StreamPackets) {
        guard self.layout != .none else { return }
        if self.held.end < packets.offset { self.held.restart(at: packets.offset) }
        self.held.append(packets.bytes)
        if self.layout == .pages {
            self.waitingPages += self.walk.push(packets.bytes, at: packets.offset)
        }
        switch self.layout {
        case .whole: self.writeAll()
        case .pages:
            for placed in packets.placed { self.found(placed.packet) }
            self.endPages()
        case .frames: for placed in packets.placed { self.framed(placed) }
        case .none: break
        }
        if let awaited = self.awaited, self.held.end > awaited { self.settle(.nothing) }
        self.bound()
    }

    /// Takes the station's metadata for the next sound.
    mutating func take(_ metadata: ICYMetadata) {
        guard metadata.title != nil else { return }
        let title = Self.title(metadata)
        if self.layout == .pages {
            self.awaited = nil
            if self.link?.isAudio == true {
                self.awaitedCut = (title, metadata.audioOffset)
            } else {
                self.said = .title(title)
            }
        } else if self.awaited != nil {
            self.settle(.title(title))
        } else if self.said == .nothing, !self.isSettled {
            self.said = .title(title)
        } else {
            self.waiting = metadata
        }
    }

    /// The stretch ends: the next bytes come from elsewhere, or there are no more.
    mutating func endStretch() {
        if self.layout == .pages { self.endPages() }
        if self.awaited != nil { self.settle(.nothing) }
        self.held.restart(at: self.held.end)
    }

    /// The following sound has new tags.
    mutating func noticed(_ tags: AudioTags) {
        guard tags.kind == .vorbisComment else { return }
        let parts = [tags.artist, tags.title].compactMap { $0 }.filter { !$0.isEmpty }
        let title = parts.isEmpty ? nil : parts.joined(separator: " - ")
        // The header's pages are handled with the first packet.
        if self.layout == .pages { self.nextTagTitle = .some(title) } else { self.tagTitle = title }
    }

    /// Drops the older half when too many bytes are held without a finding.
    private mutating func bound() {
        let isHead = self.layout == .pages && self.link?.isAudio == false
        let most = isHead ? Self.mostHead : 2 * Self.mostHeld
        guard self.held.end - self.held.start > Int64(most) else { return }
        if isHead { self.link = nil }
        self.held.drop(before: self.held.end - Int64(most / 2))
    }

    private mutating func writeAll() {
        if !self.isSettled {
            var title: String?
            if case .title(let text) = self.said { title = text }
            self.beginFile(title)
            self.write(ByteMemory(self.head))
            self.isSettled = true
        }
        self.write(self.held.take(before: self.held.end))
    }

    /// The title in a metadata block; `nil` for an empty one.
    static func title(_ metadata: ICYMetadata) -> String? {
        metadata.title.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Packets without pages: MPEG audio, ADTS, native FLAC.
extension RecordingMachine {
    /// A packet was found.
    mutating func framed(_ placed: PlacedPacket) {
        let (packet, end, section) = (placed.packet, placed.end, Int(placed.packet.section))
        guard packet.offset >= self.held.start, end <= self.held.end else { return }
        let isChained =
            self.container == .flac && self.firstFrame != nil && section != self.section
        self.section = section
        if isChained {
            if self.awaited != nil { self.settle(.nothing) }
            self.chain(at: packet.offset)
        }
        if self.firstFrame == nil { self.firstFrame = packet.offset }
        self.lastEnd = end
        guard self.awaited == nil else { return }
        let metadata = self.waiting
        self.waiting = nil
        guard self.isSettled else {
            return self.settle(metadata.map { .title(Self.title($0)) } ?? self.said)
        }
        if let metadata {
            let title = Self.title(metadata)
            if title != self.file?.title { self.cut(at: packet.offset, title) }
        }
        self.write(self.held.take(before: end))
    }

    /// Decides in which file the stretch begins, with the title known by now.
    mutating func settle(_ said: Said) {
        self.awaited = nil
        self.said = said
        guard self.layout == .frames, !self.isSettled, let first = self.firstFrame else { return }
        self.isSettled = true
        var title = self.tagTitle
        if case .title(let text) = said { title = text }
        if self.goesOn(said) {
            self.held.drop(before: first)
        } else {
            if self.container == .flac, self.head.isEmpty { self.keepHead(before: first) }
            self.beginFile(title)
            self.write(ByteMemory(self.head))
            self.held.drop(before: first)
        }
        self.write(self.held.take(before: self.lastEnd))
    }

    /// Whether the open file may continue with this stretch.
    private func goesOn(_ said: Said) -> Bool {
        guard let file = self.file, let container = self.container, container != .flac,
            file.fileExtension == RecordingFile.fileExtension(of: container, self.format?.codec)
        else { return false }
        return said == .nothing || said == .title(file.title)
    }

    /// Begins a new file with another title at a packet.
    private mutating func cut(at offset: Int64, _ title: String?) {
        self.write(self.held.take(before: offset))
        self.beginFile(title)
        self.write(ByteMemory(self.head))
    }

    /// Another FLAC stream follows in the same stretch, with its header before the packet.
    private mutating func chain(at offset: Int64) {
        self.write(self.held.take(before: self.lastEnd))
        self.head = []
        self.keepHead(before: offset)
        self.beginFile(self.tagTitle)
        self.write(ByteMemory(self.head))
        self.held.drop(before: offset)
    }

    /// Keeps the header of a FLAC stream: the bytes from the first marker on, up to the first
    /// frame.
    private mutating func keepHead(before offset: Int64) {
        let bytes = self.held[self.held.start..<max(self.held.start, offset)].array
        let marker = Array("fLaC".utf8)
        guard bytes.count >= marker.count else { return }
        let starts = 0...(bytes.count - marker.count)
        guard
            let start = starts.first(where: { bytes[$0..<$0 + marker.count].elementsEqual(marker) })
        else { return }
        self.head = Array(bytes[start...])
    }
}
