// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir

/// `weir get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download through the cache; what is held already is not asked for again.",
        discussion: """
            An interrupted download goes on where it stopped when the same command is given again. The file \
            appears under its name when it is whole.

            EXAMPLES
              weir get https://cloud.example/film.mp4 --header @headers.txt --account me
              weir get yandex:/Music/a.mp3 -o - | ffplay -
            """
    )

    @Argument(help: ArgumentHelp("A URL, a file, or NAME:PATH of a source.", valueName: "thing"))
    var thing: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to; - is standard output. (default: the resource's own name)",
            valueName: "file"
        )
    )
    var output: String?

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
        let result: Result
        do {
            result = try await opening.withMedia(of: self.thing) { try await command.download($0) }
        } catch is CancellationError {
            throw CommandError(
                .interrupted,
                "Interrupted; what has come is kept, and the same command goes on from there."
            )
        }
        if self.speech.json { try Output.json(result) }
    }

    private func download(_ media: Media) async throws -> Result {
        let reading = try await media.read(.whole)
        let name = self.output ?? reading.description.name ?? "download"
        let file = try DownloadFile(path: name)
        var meter = ProgressMeter(label: name, total: reading.upperBound)
        var done: Int64 = 0
        do {
            for try await chunk in reading {
                try file.write(chunk.memory())
                done += Int64(chunk.count)
                if !self.speech.quiet { meter.show(done) }
            }
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        if !self.speech.quiet { meter.finish(done) }
        return Result(
            file: name,
            bytes: done,
            mediaType: reading.description.mediaType?.description,
            origin: media.display
        )
    }

    /// What `--json` prints.
    private struct Result: Encodable {
        var file: String
        var bytes: Int64
        var mediaType: String?
        var origin: String
    }
}
