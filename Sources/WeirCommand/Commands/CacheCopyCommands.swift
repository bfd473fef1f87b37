// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare what is held with its checksums.",
        discussion: """
            Without a thing everything is compared. What is damaged is held no longer, and is fetched again when it \
            is wanted; the exit status is 6 then.

            EXAMPLES
              weir cache verify
              weir cache verify https://cloud.example/film.mp4
            """
    )

    @Argument(
        help: .value(
            "thing",
            "URLs, folders, identifiers, or a text of weir cache list; everything without any."
        ),
        completion: Completions.cached
    )
    var names: [String] = []

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let (sound, damaged) = try await self.cache.folder.withLibrary(self.verify)
        guard damaged == 0 else {
            throw CommandError.content(
                "\(ByteSize.format(damaged)) in the cache were damaged, and are fetched again when they are wanted; look after the disk."
            )
        }
        if !self.output.quiet {
            Output.note("\(ByteSize.format(sound)) compared: all is as it was written")
        }
    }

    /// Compares each resource with its checksums, and reports it.
    ///
    /// - Returns: the number of sound bytes, and of damaged bytes.
    private func verify(_ library: MediaLibrary) async throws -> (sound: Int64, damaged: Int64) {
        var sound: Int64 = 0
        var damaged: Int64 = 0
        for resource in try await self.cache.resources(named: self.names, in: library) {
            guard let found = try await library.verify(identifier: resource.identifier) else {
                continue
            }
            sound += found.soundByteCount
            damaged += found.damagedByteCount
            if self.output.json {
                try Output.json([
                    "event": "verified", "identifier": resource.identifier, "url": resource.display,
                    "soundBytes": found.soundByteCount, "damagedBytes": found.damagedByteCount,
                ])
            } else if found.damagedByteCount > 0 {
                Output.print(
                    "damaged \(resource.display): \(ByteSize.format(found.damagedByteCount)) are held no longer"
                )
            } else if self.output.verbose {
                Output.print("sound \(resource.display), \(ByteSize.format(found.soundByteCount))")
            }
        }
        return (sound, damaged)
    }
}

struct CacheExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy a resource that is held whole to a plain file.",
        discussion: """
            The copy shares its blocks with the cache where the file system can do that. Nothing that is there is \
            replaced and no link is followed without --force.

            EXAMPLES
              weir cache export https://cloud.example/film.mp4
              weir cache export 3fa9c2 -o film.mp4
            """
    )

    @Argument(
        help: .value(
            "thing",
            "A URL, an identifier, or a text of weir cache list that one resource has."
        ),
        completion: Completions.cached
    )
    var name: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value("file", "The file to write. (default: the name that the origin gave)")
    )
    var file: String?

    @Flag(help: "Replace the file that is there already.")
    var force = false

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let matches = try await self.cache.resources(named: [self.name], in: library)
            guard matches.count == 1, let resource = matches.first else {
                throw CommandError.usage(
                    "\(matches.count) resources in the cache are selected by \(self.name); name one by its identifier, which weir cache list shows."
                )
            }
            let target =
                self.file.map { OutputTarget(option: $0) }
                ?? OutputTarget(offered: Self.name(of: resource), otherwise: resource.identifier)
            guard case .file(let isReplacing) = try target.way(isForced: self.force) else {
                throw CommandError.usage(
                    "A copy of the cache is a file, and \(target.display) is none; weir get writes to it."
                )
            }
            let folder = URL(fileURLWithPath: target.path).deletingLastPathComponent().path
            guard access(folder, W_OK | X_OK) == 0 else { throw target.failure(errno) }
            let copy = UnfinishedFile(for: target, isReplacing: isReplacing)
            do {
                // Another process may own the cache. It writes the copy, and this process gives the copy its name.
                let identifier = resource.identifier
                guard let count = try await library.export(identifier: identifier, to: copy.path)
                else { return }
                // Set the mode that a file of this process would have, even if another process wrote it.
                let mask = umask(0o077)
                umask(mask)
                chmod(copy.path, 0o666 & ~mask)
                try copy.finish()
                if self.output.json {
                    try Output.json([
                        "event": "exported", "file": target.path, "bytes": count,
                        "identifier": resource.identifier, "url": resource.display,
                    ])
                } else if !self.output.quiet {
                    Output.print("wrote \(target.path), \(ByteSize.format(count))")
                }
            } catch {
                copy.discard()
                guard var error = error as? CacheError else { throw error }
                // Replace the temporary path with the name that the user knows.
                error.message = error.message.replacing(copy.path, with: target.path)
                throw error
            }
        }
    }

    /// The name that the origin gave, or the end of the URL.
    private static func name(of resource: CachedResource) -> String {
        let last = resource.display.split(separator: "/").last.map(String.init)
        return resource.name ?? last ?? ""
    }
}
