// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirAudio

/// `weir inspect`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what the bytes are: format, packets, tags.",
        discussion: """
            Looks at the bytes, not at the name: MP3, AAC, Ogg (Vorbis, Opus, FLAC), FLAC, WAV, MP4; and lists what \
            a playlist names. What is fetched for it is kept, as if it were played. Of a stream without end, or of \
            more than 64 MiB at an origin, the first MiB is looked at, unless --packets asks for all.

            EXAMPLES
              weir inspect yandex:/Music/a.mp3
              weir inspect song.opus --packets --json
            """
    )

    @Argument(help: ArgumentHelp("A URL, a file, or NAME:PATH of a source.", valueName: "thing"))
    var thing: String

    @Flag(
        help:
            "A line for every packet; with --json: index, offset, size, time and duration in samples, MD5."
    )
    var packets = false

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Decryption") var cipher: CipherOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var speech: OutputOptions

    func run() async throws {
        let opening = try ThingOpening(
            [self.thing],
            source: self.source,
            cipher: self.cipher,
            cache: self.cache,
            output: self.speech
        )
        let command = self
        try await opening.withMedia(of: self.thing) { media, _ in
            try await command.inspect(media, isLocal: media.identifier == nil)
        }
    }

    private func inspect(_ media: Media, isLocal: Bool) async throws {
        let speech = self.speech
        let showsPackets = self.packets
        let inspector = Inspector(media: media, isWhole: isLocal || showsPackets)
        let inspection = try await inspector.inspect { line in
            guard showsPackets else { return }
            if !speech.json, line.index == 0 { Output.print(PacketLine.heading) }
            if speech.json { try Output.json(line) } else { Output.print(line.text) }
        }
        if showsPackets {
            for trouble in inspection.troubles { speech.warn("\(trouble.text)") }
            if let failure = inspection.failure { throw failure }
            return
        }
        if speech.json {
            try Output.json(inspection)
        } else if inspection.hasFindings {
            Output.print(inspection.text)
        }
        if let failure = inspection.failure { throw failure }
    }
}
