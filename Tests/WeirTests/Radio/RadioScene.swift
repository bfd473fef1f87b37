// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit
import WeirTestServers

/// Helpers for the radio tests: sound that parsers accept, and a listener that separates the titles.
enum RadioScene {
    /// Silence in MPEG-1 layer III, 128 kbit/s, 44.1 kHz, without padding: 417 bytes a frame, each numbered.
    static func mp3(frames: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames * 417)
        for number in 0..<frames {
            var frame = [UInt8](repeating: 0, count: 417)
            frame.replaceSubrange(0..<4, with: [0xFF, 0xFB, 0x90, 0x64])
            // The number is behind the side information, in bytes that contain no sound.
            frame[414] = UInt8(number & 0x7F)
            frame[415] = UInt8(number >> 7 & 0x7F)
            bytes += frame
        }
        return bytes
    }

    /// Silence in ADTS: AAC-LC, 44.1 kHz, stereo, 200 bytes a frame.
    static func adts(frames: Int) -> [UInt8] {
        let length = 200
        var frame = [UInt8](repeating: 0, count: length)
        let header: [UInt8] = [
            0xFF, 0xF1, 0x50, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
            UInt8(length & 7) << 5 | 0x1F, 0xFC,
        ]
        frame.replaceSubrange(0..<7, with: header)
        return Array(repeatElement(frame, count: frames).joined())
    }

    private static let song = Self.mp3(frames: 2_000)
    private static let aac = Self.adts(frames: 2_000)

    /// A server that plays MP3 and AAC sound.
    static func server(
        _ behaviours: String...,
        titles: [RadioTitle] = [],
        start: RadioStart = .beginning,
        entries: [String] = ["/stream"]
    ) -> RadioServer {
        RadioServer(
            RadioProgramme(
                [
                    RadioFile(.bytes(self.song)),
                    RadioFile(.bytes(self.aac), mediaType: "audio/aac"),
                ],
                titles: titles,
                start: start,
                entries: entries
            ),
            behaviours: behaviours.map { text in
                guard let behaviour = RadioBehaviour(text) else {
                    Issue.record("\(text) is not a behaviour")
                    return RadioBehaviour(.cut(after: 0))
                }
                return behaviour
            }
        )
    }

    /// A connection's sound with the titles removed, and the titles with their offsets in the sound.
    struct Heard {
        var audio: [UInt8] = []
        var titles: [(Int64, String)] = []
        /// The error that ended the stream; `nil` if the stream ended without an error, or the listener had enough
        /// sound.
        var error: SourceError?
    }

    /// Reads a response until it has enough sound, or until the stream ends.
    static func hear(_ answer: StationAnswer, upTo count: Int = .max) async throws -> Heard {
        var heard = Heard()
        let interval = ICYHeaders(answer.fields).metadataInterval
        var demultiplexer = interval.flatMap { ICYDemultiplexer(interval: $0) }
        defer { answer.body.cancel() }
        do {
            while heard.audio.count < count, let bytes = try await answer.body.next() {
                guard demultiplexer != nil else {
                    heard.audio += bytes.array
                    continue
                }
                demultiplexer?.push(bytes)
                while let piece = demultiplexer?.next() {
                    switch piece {
                    case .audio(let bytes, _): heard.audio += bytes.array
                    case .metadata(let metadata):
                        if let title = metadata.title {
                            heard.titles.append((metadata.audioOffset, title))
                        }
                    }
                }
            }
        } catch let error as SourceError {
            heard.error = error
        }
        return heard
    }
}

/// The `SourceError` that an operation throws, if any.
func radioError(_ operation: () async throws -> Void) async -> SourceError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? SourceError
    }
}
