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
        let surroundings = Surroundings()
        let configuration = try self.cache.folder.configuration.load(surroundings)
        let headers = try self.source.headerList(surroundings)
        let account = self.source.accountName(surroundings)
        CredentialWarning.say(
            things: [self.thing],
            headers: headers,
            account: account,
            output: self.speech
        )
        let keys = KeyReader(surroundings, warn: self.speech.warn)
        let given = SourceMaker.Given(
            headers: headers,
            account: account,
            decryption: try self.cipher.decryption(surroundings, keys),
            keys: keys
        )
        var options = try self.cache.libraryOptions(surroundings, configuration.settings)
        try self.source.apply(to: &options, surroundings, configuration.settings)
        options.observer = EventLine.observer(self.speech)
        let library = try MediaLibrary(options)
        do {
            let command = self
            let thing = try SourceMaker(
                library: library,
                configuration: configuration,
                surroundings: surroundings,
                given: given
            ).thing(self.thing)
            let media = try thing.media(in: library)
            let isLocal = media.identifier == nil
            try await Signals.interruptible {
                do { try await command.inspect(media, isLocal: isLocal) } catch {
                    throw await thing.explained(error, in: library)
                }
            }
            await library.close()
        } catch {
            await library.close()
            throw error
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
