// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirClouds
import WeirHTTP
import WeirSource

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download through the cache, nothing twice.",
        discussion: """
            A download is in the queue of the cache folder from its first byte to its last. If it is interrupted, or \
            its origin fails, it stays in the queue. It resumes when you give the same command again, or when another \
            process opens the same thing. The file appears under its name when it is complete. Without --force, the \
            command replaces no file and follows no link; it writes to a device or a pipe that -o names. From a name \
            that a server or a list gives, it removes folders, leading dots and hyphens, and invisible characters.

            The command tries each of several things, and the exit status is that of the worst failure. With \
            --recursive, it downloads a folder with all files that are not hidden, and a playlist with its entries. It \
            then skips an existing file of the full length.

            EXAMPLES
              weir get https://cloud.example/film.mp4 --header @headers.txt --account me
              weir get yandex:/Music/a.mp3 -o - | ffplay -
              weir get -r yandex:/Music/Album
            """
    )

    @Argument(
        help: .value(
            "thing",
            "URLs, files, or NAME:PATH of a source; with -r also folders and playlists."
        ),
        completion: Completions.things
    )
    var names: [String]

    @Option(
        name: .shortAndLong,
        help: .value(
            "file",
            "The target: a file, an existing folder, or - for standard output. For several things, a folder."
                + " (default: the resource's own name)"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(
        name: .shortAndLong,
        help: "Download the files of folders and their subfolders, and the entries of playlists."
    )
    var recursive = false

    @Flag(
        help: """
            Replace existing files, and keep decrypted bytes of no known format.
            """
    )
    var force = false

    @OptionGroup var options: MediaOptions

    /// Whether there may be several files.
    private var areSeveral: Bool { self.recursive || self.names.count > 1 }

    /// The folder that `--output` names; `nil` if it names a file, or is not given.
    ///
    /// A single file goes into an existing folder. A link to a folder counts only with a slash at
    /// its end. For several files, the command creates the folder.
    var folder: String? {
        guard let output, !self.areSeveral, !output.hasSuffix("/") else { return self.output }
        return FileKind(path: output) == .folder ? output : nil
    }

    func validate() throws {
        guard let output else { return }
        guard self.areSeveral else {
            guard output.hasSuffix("/"), !FileKind(path: output).isFolder else { return }
            throw ValidationError(
                "\(output) is not an existing folder; create it first, or name a file without a slash at its end."
            )
        }
        guard output != "-" else {
            throw ValidationError(
                "Several things cannot go to standard output; name a folder with -o."
            )
        }
        let kind = FileKind(path: output)
        guard kind == .nothing || kind.isFolder else {
            throw ValidationError("\(output) is not a folder; several things need one.")
        }
    }

    func run() async throws {
        let settings = try MediaSettings(self.names, self.options, tellsRetries: true)
        let command = self
        // Refuse an unusable target before any request.
        let folder = self.folder
        let target = folder == nil ? self.output.map { OutputTarget(option: $0) } : nil
        _ = try target?.way(isForced: self.force)
        let worst = WorstStatus()
        do {
            try await settings.withLibrary { library in
                let signals = Signals()
                let list = DownloadList(
                    of: self.names,
                    MediaResolver(library: library, settings: settings),
                    folder: folder,
                    isRecursive: self.recursive,
                    worst: worst,
                    note: self.options.output.warn
                )
                for name in self.names {
                    do {
                        let downloads = try await signals.interruptible {
                            try await list.downloads(of: name)
                        }
                        var away = AwayOrigins()
                        for download in downloads {
                            let display = download.media.display
                            if let failure = download.failure { away.failed(display, failure) }
                            if away.isAway(display), await self.needsOrigin(download) {
                                away.leftOut(display)
                                // A queued download of an earlier command stays in the queue for
                                // the next command.
                                await download.media.close()
                                continue
                            }
                            do {
                                try await signals.interruptible {
                                    try await command.get(download, of: library, to: target)
                                }
                            } catch  where downloads.count > 1 && !(error is CancellationError) {
                                away.failed(display, error)
                                worst.note(self.say(error, of: display))
                            }
                        }
                        for sentence in away.sentences {
                            worst.note(self.say(CommandError(.network, sentence)))
                        }
                    } catch  where self.names.count > 1 && !(error is CancellationError) {
                        worst.note(self.say(error, of: name))
                    }
                }
            }
        } catch is CancellationError {
            throw CommandError.interrupted(
                "Interrupted; the received bytes are kept. The same command resumes the download."
            )
        }
        if worst.status != .done { throw ExitCode(worst.status.rawValue) }
    }

    /// Reports the error of one of several items; without a name, an error of several items.
    ///
    /// - Returns: the status for the error.
    private func say(_ error: any Error, of name: String? = nil) -> ExitStatus {
        let status = ExitStatus(for: error)
        var sentence = error.ownerSentence
        if let name = name.map({ (try? OriginURL($0))?.display ?? $0 }), !sentence.contains(name) {
            sentence = "\(name): \(sentence)"
        }
        if self.options.output.json { Output.failed(sentence, status) }
        Output.note("weir: \(sentence)")
        return status
    }

    private func get(
        _ download: DownloadList.Download,
        of library: MediaLibrary,
        to target: OutputTarget?
    ) async throws {
        if let target = download.target, self.isThere(target, download.length) {
            return self.tellThere(target)
        }
        try download.makeFolder(isForced: self.force)
        let result: JSON?
        do {
            result = try await self.download(
                download.media,
                of: library,
                to: target ?? download.target,
                in: download.folder,
                named: download.location?.path.name,
                decryption: download.decryption
            )
        } catch {
            let explained = await download.location?.explained(error) ?? error
            guard var page = explained as? SourceError, page.code == .notMedia, !self.recursive
            else { throw explained }
            page.message += " Use --recursive to download a folder."
            throw page
        }
        if self.options.output.json, let result { try Output.json(result) }
    }

    /// Whether a download needs the origin: neither the target nor the cache has the whole file.
    private func needsOrigin(_ download: DownloadList.Download) async -> Bool {
        if let target = download.target, self.isThere(target, download.length) { return false }
        await download.media.openHeld()
        return !download.media.availability.isComplete
    }

    /// Whether to skip the download: with `--recursive` and without `--force`, if the target has
    /// the same length.
    private func isThere(_ target: OutputTarget, _ length: Int64?) -> Bool {
        var status = stat()
        guard self.recursive, !self.force, FileKind(target.place) == .file,
            target.place.withCString({ stat($0, &status) }) == 0, Int64(status.st_size) == length
        else { return false }
        return true
    }

    private func tellThere(_ target: OutputTarget) {
        if !self.options.output.quiet { Output.note("\(target.path) exists already") }
    }

    private func download(
        _ media: Media,
        of library: MediaLibrary,
        to target: OutputTarget?,
        in folder: String?,
        named listed: String?,
        decryption: Decryption?
    ) async throws -> JSON? {
        await media.openHeld()
        let heldAtStart = media.availability.held
        let reading = try await media.read(.whole)
        guard !media.isPlaylist else { throw HLSFile.notSaved(media.display) }
        // If the read has found a new version, bytes of the old version do not count.
        let heldBefore = heldAtStart.intersection(media.availability.held)
        let target = target ?? Self.target(reading.resource.name, listed, in: folder)
        if self.isThere(target, reading.resource.length) {
            self.tellThere(target)
            return nil
        }
        let file = try DownloadFile(target, isForced: self.force)
        var meter = ProgressMeter(
            label: target.path,
            total: reading.upperBound,
            heldBefore: heldBefore
        )
        var done: Int64 = 0
        // Do not keep bytes that a wrong key decrypted. Authenticated decryption needs no check: it
        // fails by itself.
        var content =
            decryption?.isAuthenticated == false && !self.force ? PlainContent() : nil
        var held: [ByteMemory] = []
        let queued = QueuedDownload(media, of: library)
        do {
            for try await chunk in reading {
                let memory = try chunk.memory()
                if done == 0, HLSFile.begins(with: memory) { throw HLSFile.notSaved(media.display) }
                done += Int64(chunk.count)
                held.append(memory)
                content?.append(memory)
                if content?.isFull == false { continue }
                try self.write(&held, to: file, content, media)
                content = nil
                if !self.options.output.quiet { meter.show(done) }
                if self.options.output.json, self.options.output.verbose, meter.isDue(done) {
                    try Output.json([
                        "event": "progress", "file": target.path, "doneBytes": done,
                        "bytes": reading.upperBound,
                    ])
                }
            }
            try self.write(&held, to: file, content, media)
            try file.finish()
        } catch {
            file.discard()
            await queued.end(with: error)
            if error is ReaderHasLeft { meter.clear() }
            throw error
        }
        await queued.end(with: nil)
        if !self.options.output.quiet { meter.finish(done) }
        return [
            "event": "saved", "file": target.path, "bytes": done,
            "mediaType": reading.resource.mediaType?.description, "url": media.display,
        ]
    }

    /// The target for the name that the origin gives.
    ///
    /// If both names are equal once the listed name's `\x` escapes are decoded, the file's name
    /// keeps the exact bytes of the listed name.
    private static func target(_ name: String?, _ listed: String?, in folder: String?)
        -> OutputTarget
    {
        guard let name, let listed, listed.contains("\\x"),
            String(decoding: FolderPath.bytes(ofName: listed), as: UTF8.self) == name
        else { return OutputTarget(offered: name, in: folder) }
        return OutputTarget(listed: listed, in: folder)
    }

    /// Writes the bytes that were held back until their format was known.
    private func write(
        _ held: inout [ByteMemory],
        to file: DownloadFile,
        _ content: PlainContent?,
        _ media: Media
    ) throws {
        if content?.isKnown == false {
            throw CommandError.content(
                "The key of \(media.display) is probably wrong: its decrypted bytes have no known format. Check the"
                    + " key and the encryption of the file (with --kdf also the digest), or keep the bytes with"
                    + " --force."
            )
        }
        for memory in held { try file.write(memory) }
        held = []
    }
}
