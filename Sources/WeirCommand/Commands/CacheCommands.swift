// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache
import WeirSource

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look into the cache, and say what it is to hold.",
        discussion: """
            EXAMPLES
              weir cache list
              weir cache export https://cloud.example/film.mp4 -o film.mp4
              weir cache remove https://cloud.example/film.mp4
            """,
        subcommands: [
            CacheListCommand.self, CachePathCommand.self, CachePinCommand.self,
            CacheUnpinCommand.self, CacheVerifyCommand.self, CacheExportCommand.self,
            CacheRemoveCommand.self, CacheClearCommand.self,
        ]
    )
}

struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is held, the last used first.",
        discussion: """
            EXAMPLES
              weir cache list
              weir cache list --json
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let directory = try self.cache.path(ProgramEnvironment())
        let resources = try Cache.resources(inDirectory: directory)
        if self.output.json {
            for resource in resources { try Output.json(Self.json(resource)) }
            return
        }
        for resource in resources { Output.print(CacheListCommand.text(resource)) }
        guard !self.output.quiet else { return }
        let total = resources.reduce(Int64(0)) { $0.addingClamped($1.heldBytes) }
        Output.note(
            "\(resources.count) \(resources.count == 1 ? "resource" : "resources"), \(ByteSize.format(total)) in \(directory)"
        )
    }

    /// A resource in a line: identifier, size, share, URL and account.
    static func text(_ resource: CachedResource) -> String {
        let share =
            switch resource.length {
            case .some(let length) where resource.heldBytes >= length: "whole"
            case .some(let length):
                "\(resource.heldBytes.percentage(of: length)) % of \(ByteSize.format(length))"
            case .none: "of unknown length"
            }
        let account = resource.account.isEmpty ? "" : "  (\(resource.account))"
        return
            "\(resource.identifier.prefix(12))  \(ByteSize.format(resource.heldBytes)), \(share)  \(resource.display)\(account)"
    }

    private static func json(_ resource: CachedResource) -> JSON {
        [
            "identifier": resource.identifier, "url": resource.display, "account": resource.account,
            "heldBytes": resource.heldBytes, "length": resource.length,
            "mediaType": resource.mediaType?.description,
            "lastUse": resource.lastUse.timeIntervalSinceReferenceDate,
        ]
    }
}

struct CachePathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the cache folder.",
        discussion: """
            EXAMPLES
              weir cache path
              du -sh "$(weir cache path)"
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let path = try self.cache.path(ProgramEnvironment())
        if self.output.json { try Output.json(["path": path]) } else { Output.print(path) }
    }
}

struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep resources, whatever the limits are.",
        discussion: """
            What is pinned is not removed to make room, and its later versions are pinned, too.

            EXAMPLES
              weir cache pin https://cloud.example/film.mp4
              weir cache pin 3fa9c2 81d0e5
            """
    )

    @Argument(help: .value("thing", "URLs or identifiers."))
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await library.resources(named: self.names) {
                try await library.pin(identifier: resource.identifier)
                if !self.output.quiet { Output.print("pinned \(resource.display)") }
            }
        }
    }
}

struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "No longer keep resources, whatever the limits are.",
        discussion: """
            EXAMPLES
              weir cache unpin https://cloud.example/film.mp4
              weir cache unpin 3fa9c2
            """
    )

    @Argument(help: .value("thing", "URLs or identifiers."))
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await library.resources(named: self.names) {
                try await library.pin(identifier: resource.identifier, false)
                if !self.output.quiet { Output.print("unpinned \(resource.display)") }
            }
        }
    }
}

struct CacheRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove resources from the cache.",
        discussion: """
            A resource is named by its URL, as weir cache list shows it, or by the first digits (four or more) \
            of its identifier.

            EXAMPLES
              weir cache remove https://cloud.example/film.mp4
              weir cache remove 3fa9c2
            """
    )

    @Argument(help: .value("thing", "URLs or identifiers."))
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await library.resources(named: self.names) {
                try await library.remove(identifier: resource.identifier)
                guard !self.output.quiet else { continue }
                Output.print("removed \(resource.display), \(ByteSize.format(resource.heldBytes))")
            }
        }
    }
}

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove everything from the cache.",
        discussion: """
            EXAMPLES
              weir cache clear
              weir cache clear --cache /tmp/weir --quiet
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            let removed = try await library.removeAll()
            guard !self.output.quiet else { return }
            // An older Weir that serves the folder does not say what it removed.
            let what = removed.map {
                "\($0.resourceCount) resources, \(ByteSize.format($0.byteCount)),"
            }
            Output.print("removed \(what ?? "everything") from \(library.configuration.directory)")
        }
    }
}
