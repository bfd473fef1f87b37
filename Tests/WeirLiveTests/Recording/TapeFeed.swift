// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

@testable import WeirLive

/// Converts the bytes of a stretch to the input of a listener of packets.
struct TapeFeed: ~Copyable {
    /// The input of a listener of packets for these pieces of a listener of bytes.
    static func sounds(of pieces: [StationPiece]) -> [StationSound] {
        var feed = TapeFeed()
        var sounds: [StationSound] = []
        for piece in pieces {
            switch piece {
            case .stretch(var stretch):
                sounds += feed.finish()
                // The stretch of a real station states its container.
                let type = stretch.info.mediaType
                stretch.container = stretch.container ?? Self.container(of: type)
                feed = TapeFeed(&stretch)
                sounds.append(.stretch(stretch))
            case .audio(let bytes): sounds += feed.push(bytes)
            case .metadata(let metadata): feed.titles.append(metadata)
            }
        }
        return sounds + feed.finish()
    }

    /// Titles that wait for their packets.
    private var titles: [ICYMetadata] = []
    private var parser: AudioStreamParser
    private var held = StreamBuffer()
    private var sampleRate = 1
    private var signs: [StreamSign] = []
    private var pages = OggPageMap()

    init() { self.parser = AudioStreamParser() }

    /// Creates a feed that begins with a stretch, and adds the format and tags of the stretch's
    /// head to the stretch.
    init(_ stretch: inout StreamStretch) {
        let start = stretch.head.isEmpty ? stretch.offset : stretch.headOffset
        self.parser = AudioStreamParser(
            container: stretch.container ?? .mpegAudio,
            startingAt: start
        )
        self.held.restart(at: stretch.offset)
        guard !stretch.head.isEmpty else { return }
        self.parser.push(stretch.head)
        _ = self.taken()
        for sign in self.signs {
            switch sign {
            case .format(let format): stretch.format = format
            case .tags(let tags): stretch.tags = tags
            case .trouble: break
            }
        }
        self.signs = []
        self.parser.jump(to: stretch.offset)
    }

    /// The container of a stream with a media type.
    private static func container(of type: String?) -> AudioContainer {
        switch type {
        case "audio/aac"?, "audio/aacp"?: .adts
        case "application/ogg"?, "audio/ogg"?: .ogg
        case "audio/flac"?: .flac
        case "audio/wav"?: .wave
        default: .mpegAudio
        }
    }

    mutating func push(_ bytes: ByteMemory) -> [StationSound] {
        self.pages.push(bytes, at: self.held.end)
        self.held.append(bytes)
        self.parser.push(bytes)
        return self.taken()
    }

    mutating func finish() -> [StationSound] {
        self.parser.finish()
        return self.taken()
    }

    private mutating func taken() -> [StationSound] {
        var sounds: [StationSound] = []
        while let event = try? self.parser.next() {
            switch event {
            case .format(let format):
                self.sampleRate = format.sampleRate
                self.signs.append(.format(format))
            case .tags(let tags): self.signs.append(.tags(tags))
            case .trouble, .wanted: break
            case .packet(let packet): sounds += self.taken(packet)
            }
        }
        return sounds
    }

    private mutating func taken(_ packet: AudioPacket) -> [StationSound] {
        let place = packet.offset..<packet.offset + Int64(packet.payload.count)
        var parts = [place]
        if self.parser.container == .ogg {
            parts = self.pages.parts(at: packet.offset, count: packet.payload.count) ?? parts
        }
        let record = RingPacket(packet, at: parts[0], time: .zero, sampleRate: self.sampleRate)
        let placed = PlacedPacket(packet: record, parts: Array(parts.dropFirst()))
        var sounds = self.signs.map { StationSound.sign($0) }
        self.signs = []
        let count = self.titles.prefix { $0.audioOffset < placed.end }.count
        sounds += self.titles.prefix(count).map { .metadata($0) }
        self.titles.removeFirst(count)
        let offset = self.held.start
        sounds.append(
            .packets(
                StreamPackets(
                    bytes: self.held.take(before: placed.end),
                    offset: offset,
                    placed: [placed]
                )
            )
        )
        return sounds
    }
}
