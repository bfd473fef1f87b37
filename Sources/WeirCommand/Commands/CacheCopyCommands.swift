// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the held bytes against their checksums.",
        discussion: """
            Without a thing, the command checks the whole cache. It discards damaged bytes, and Weir fetches them \
            again when they are needed. If bytes are damaged, the exit status is 6.

            EXAMPLES
              weir cache verify
              weir cache verify https://cloud.example/film.mp4
            """
    )

    @Argument(
        help: .value(
            "thing",
            "URLs, folders, identifiers, or any text in URLs; without any, the whole cache."
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
                "\(ByteSize.format(damaged)) in the cache were damaged. Weir fetches them again when they are needed;"
                    + " check the disk."
            )
        }
        if !self.output.quiet {
            Output.note("\(ByteSize.format(sound)) checked: no damage found")
        }
    }

    /// Compares each resource with its checksums, and prints the result.
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
                    "damaged \(resource.display): discarded \(ByteSize.format(found.damagedByteCount))"
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
        abstract: "Copy a complete resource from the cache to a plain file.",
        discussion: """
            The copy shares its blocks with the cache if the file system supports that. Without --force, the command \
            replaces no file and follows no link.

            EXAMPLES
              weir cache export https://cloud.example/film.mp4
              weir cache export 3fa9c2 -o film.mp4
            """
    )

    @Argument(
        help: .value(
            "thing",
            "A URL, an identifier, or a text that is in the URL of only one resource."
        ),
        completion: Completions.cached
    )
    var name: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value("file", "The file to write. (default: the name that the origin gave)")
    )
    var file: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let matches = try await self.cache.resources(named: [self.name], in: library)
            guard matches.count == 1, let resource = matches.first else {
                throw CommandError.usage(
                    "\(self.name) selects \(matches.count) resources in the cache; give the identifier of one, as"
                        + " weir cache list shows it."
                )
            }
            let target =
                self.file.map { OutputTarget(option: $0) }
                ?? OutputTarget(offered: Self.name(of: resource), otherwise: resource.identifier)
            guard case .file(let isReplacing) = try target.way(isForced: self.force) else {
                throw CommandError.usage(
                    "cache export writes a regular file, and \(target.display) is not one; use weir get."
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
