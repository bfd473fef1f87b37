// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirAudio

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what the bytes are: format, packets, tags.",
        discussion: """
            Looks at the bytes, not at the name: MP3, AAC, Ogg (Vorbis, Opus, FLAC), FLAC, WAV, MP4; and lists what \
            a playlist names. What is fetched for it is kept, as if it were played. Of a stream without end, or of \
            more than 64 MB at an origin, the first MB is looked at, unless --packets asks for all.

            EXAMPLES
              weir inspect yandex:/Music/a.mp3
              weir inspect song.opus --packets --json
            """
    )

    @Argument(
        help: .value("thing", "A URL, a file, or NAME:PATH of a source."),
        completion: Completions.things
    )
    var name: String

    @Flag(
        help:
            "A line for every packet; with --json: index, offset, size, time and duration in samples, MD5."
    )
    var packets = false

    @OptionGroup var options: MediaOptions

    func run() async throws {
        let settings = try MediaSettings([self.name], self.options)
        let command = self
        try await settings.withMedia(of: self.name) { media in
            try await command.inspect(media, isLocal: media.identifier == nil)
        }
    }

    private func inspect(_ media: Media, isLocal: Bool) async throws {
        let output = self.options.output
        let showsPackets = self.packets
        let inspector = Inspector(media: media, isWhole: isLocal || showsPackets)
        let inspection = try await inspector.inspect { line in
            guard showsPackets else { return }
            if !output.json, line.index == 0 { Output.print(PacketLine.heading) }
            if output.json { try Output.json(line.json) } else { Output.print(line.text) }
        }
        if showsPackets {
            for trouble in inspection.troubles { output.warn("\(trouble.text)") }
            if let failure = inspection.failure { throw failure }
            return
        }
        if output.json {
            try Output.json(inspection.json)
        } else if inspection.hasFindings {
            Output.print(inspection.text)
        }
        if let failure = inspection.failure { throw failure }
    }
}
