// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download through the cache; what is held already is not asked for again.",
        discussion: """
            A download stands in the queue of the cache folder from its first byte to its last. One that was \
            interrupted, or whose origin failed, stays there, and goes on where it stopped when the same command is given again, or when \
            another process opens the same thing. The file \
            appears under its name when it is whole. Nothing that is there is replaced and no link is followed \
            without --force; a device or a pipe that -o names is written to. A name that comes from elsewhere loses \
            its folders, dots and hyphens in front, and what cannot be seen.

            EXAMPLES
              weir get https://cloud.example/film.mp4 --header @headers.txt --account me
              weir get yandex:/Music/a.mp3 -o - | ffplay -
            """
    )

    @Argument(help: .value("thing", "A URL, a file, or NAME:PATH of a source."))
    var name: String

    @Option(
        name: .shortAndLong,
        help: .value("file", "Where to; - is standard output. (default: the resource's own name)")
    )
    var output: String?

    @Flag(
        help: """
            Replace what is there already, and keep decrypted bytes that are nothing known.
            """
    )
    var force = false

    @OptionGroup var options: MediaOptions

    func run() async throws {
        let settings = try MediaSettings([self.name], self.options)
        let command = self
        // A target that will be refused is refused before anything is asked for.
        let target = self.output.map { OutputTarget(option: $0) }
        _ = try target?.way(isForced: self.force)
        let result: JSON
        do {
            result = try await settings.withMedia(of: self.name) {
                media,
                isDecrypted,
                library in
                try await command.download(
                    media,
                    of: library,
                    to: target,
                    isDecrypted: isDecrypted
                )
            }
        } catch is CancellationError {
            throw CommandError.interrupted(
                "Interrupted; what has come is kept, and the same command goes on from there."
            )
        }
        if self.options.output.json { try Output.json(result) }
    }

    private func download(
        _ media: Media,
        of library: MediaLibrary,
        to target: OutputTarget?,
        isDecrypted: Bool
    ) async throws -> JSON {
        let reading = try await media.read(.whole)
        let target = target ?? OutputTarget(offered: reading.resource.name)
        let file = try DownloadFile(target, isForced: self.force)
        var meter = ProgressMeter(label: target.path, total: reading.upperBound)
        var done: Int64 = 0
        var content = isDecrypted && !self.force ? PlainContent() : nil
        var held: [ByteMemory] = []
        let queued = QueuedDownload(media, of: library)
        do {
            for try await chunk in reading {
                let memory = try chunk.memory()
                done += Int64(chunk.count)
                held.append(memory)
                content?.append(memory)
                if content?.isFull == false { continue }
                try self.write(&held, to: file, content, media)
                content = nil
                if !self.options.output.quiet { meter.show(done) }
            }
            try self.write(&held, to: file, content, media)
            try file.finish()
        } catch {
            file.discard()
            await queued.end(with: error)
            throw error
        }
        await queued.end(with: nil)
        if !self.options.output.quiet { meter.finish(done) }
        return [
            "file": target.path, "bytes": done,
            "mediaType": reading.resource.mediaType?.description, "origin": media.display,
        ]
    }

    /// Writes the bytes that were kept back until they were recognised.
    private func write(
        _ held: inout [ByteMemory],
        to file: DownloadFile,
        _ content: PlainContent?,
        _ media: Media
    ) throws {
        if content?.isKnown == false {
            throw CommandError.content(
                "\(media.display) was decrypted into bytes that are no medium and nothing else that is known, so nothing of"
                    + " it was kept; check the key and how it was encrypted (with --kdf also the digest), or keep the bytes with"
                    + " --force."
            )
        }
        for memory in held { try file.write(memory) }
        held = []
    }
}
