// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// Packets that stand one after the other: MPEG audio, ADTS, native FLAC.
extension RecordingMachine {
    /// A packet was found.
    mutating func framed(_ packet: AudioPacket) {
        let end = packet.offset + Int64(packet.payload.count)
        guard packet.offset >= self.held.start, end <= self.held.end else { return }
        let isChained =
            self.parser.container == .flac && self.firstFrame != nil
            && packet.section != self.section
        self.section = packet.section
        if isChained {
            if self.awaited != nil { self.settle(.nothing) }
            self.chain(at: packet.offset)
        }
        if self.firstFrame == nil { self.firstFrame = packet.offset }
        self.lastEnd = end
        guard self.awaited == nil else { return }
        let metadata = self.titles.metadata(for: packet)
        guard self.isSettled else {
            return self.settle(metadata.map { .title(Self.title($0)) } ?? self.said)
        }
        if let metadata {
            let title = Self.title(metadata)
            if title != self.file?.title { self.cut(at: packet.offset, title) }
        }
        self.write(self.held.take(to: end))
    }

    /// It is known now what the stretch's beginning is, as far as it will be.
    mutating func settle(_ said: Said) {
        self.awaited = nil
        self.said = said
        guard self.layout == .frames, !self.isSettled, let first = self.firstFrame else { return }
        self.isSettled = true
        var title = self.tagTitle
        if case .title(let text) = said { title = text }
        if self.goesOn(said) {
            self.held.drop(to: first)
        } else {
            if self.parser.container == .flac, self.head.isEmpty { self.keepHead(before: first) }
            self.beginFile(title)
            self.write(ByteMemory(self.head))
            self.held.drop(to: first)
        }
        self.write(self.held.take(to: self.lastEnd))
    }

    /// Whether the file that is open may go on with this stretch.
    private func goesOn(_ said: Said) -> Bool {
        guard let file = self.file, let container = self.parser.container, container != .flac,
            file.fileExtension == RecordingFile.fileExtension(of: container, self.format?.codec)
        else { return false }
        return said == .nothing || said == .title(file.title)
    }

    /// Another title, from a packet on.
    private mutating func cut(at offset: Int64, _ title: String?) {
        self.write(self.held.take(to: offset))
        self.beginFile(title)
        self.write(ByteMemory(self.head))
    }

    /// Another FLAC stream was joined on, its header before the packet.
    private mutating func chain(at offset: Int64) {
        self.write(self.held.take(to: self.lastEnd))
        self.head = []
        self.keepHead(before: offset)
        self.beginFile(self.tagTitle)
        self.write(ByteMemory(self.head))
        self.held.drop(to: offset)
    }

    /// Keeps the header of a FLAC stream: the last marker before the first frame, and what is behind it.
    private mutating func keepHead(before offset: Int64) {
        let bytes = self.held.copy(self.held.start..<max(self.held.start, offset))
        let marker = Array("fLaC".utf8)
        guard bytes.count >= marker.count else { return }
        let places = 0...(bytes.count - marker.count)
        guard
            let place = places.first(where: { bytes[$0..<$0 + marker.count].elementsEqual(marker) })
        else { return }
        self.head = Array(bytes[place...])
    }
}
