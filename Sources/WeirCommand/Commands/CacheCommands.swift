// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect the cache; pin, export or remove resources.",
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

struct CacheListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the held resources, most recently used first.",
        discussion: """
            Each line shows a resource: the start of its identifier, its held part, the time of its last use, whether \
            it is pinned, its account, and its URL in readable form. Other commands accept this URL unchanged.

            A playlist of HLS and its parts are one line; --parts shows a line for each part. What another command \
            does to a playlist, it does to its parts.

            A thing is a URL, or the first digits (four or more) of an identifier. Otherwise it is a folder, given by \
            its URL or as NAME: or NAME:PATH of a source, or else any text in the URL. The other commands of weir \
            cache accept the same things, but remove does not accept a text.

            EXAMPLES
              weir cache list
              weir cache list album --sort size
              weir cache list archive:/Album
            """
    )

    /// The sort order of the list.
    enum Order: String, CaseIterable, ExpressibleByArgument {
        case used
        case added
        case size
        case name
    }

    @Argument(
        help: .value(
            "thing",
            "Only a URL, a folder, an identifier, or the resources with this text in their URLs."
        ),
        completion: Completions.cached
    )
    var filter: String?

    @Option(
        help: .value("order", "The order: last used or added first, largest first, or by name.")
    )
    var sort = Order.used

    @Flag(help: "Show each part of a playlist of HLS in a line of its own.")
    var parts = false

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try self.cache.folder.requireFolder()
        let directory = try self.cache.folder.path(ProgramEnvironment())
        let all = try Cache.resources(inDirectory: directory)
        let resources = self.chosen(
            all,
            meaning: all.isEmpty ? CacheSelection.Meaning() : try await self.meaning()
        )
        if self.output.json {
            for resource in resources { try Output.json(Self.json(resource)) }
            return
        }
        for line in Self.lines(resources, showsParts: self.parts) { Output.print(line) }
        guard !self.output.quiet else { return }
        if resources.isEmpty, let filter {
            return Output.note(
                "No resource\(self.cache.account.map { " of the account \($0)" } ?? "") in \(directory) has"
                    + " \(filter.printableLine) in its URL."
            )
        }
        Output.note("\(resources.summary) in \(directory)")
    }

    /// The resources to list, in the chosen order.
    ///
    /// The argument must begin with the most recently used resource.
    func chosen(
        _ resources: [CachedResource],
        meaning: CacheSelection.Meaning = CacheSelection.Meaning()
    ) -> [CachedResource] {
        let all = self.cache.chosen(resources)
        let chosen = self.filter.map { CacheSelection.selected($0, meaning, among: all) } ?? all
        return switch self.sort {
        case .used: chosen
        case .added: chosen.sorted { $0.created > $1.created }
        case .size: chosen.sorted { $0.heldByteCount > $1.heldByteCount }
        case .name: chosen.sorted { $0.readableURL.precedesNaturally($1.readableURL) }
        }
    }

    /// The meaning of the filter; only a path of a source needs an open library.
    private func meaning() async throws -> CacheSelection.Meaning {
        guard let filter, self.cache.isSourcePath(filter) else { return CacheSelection.Meaning() }
        return try await self.cache.folder.withLibrary { self.cache.meaning(of: filter, in: $0) }
    }

    /// A line for each resource, in columns: identifier, held bytes, share, last use, pin, account,
    /// URL.
    ///
    /// A column that is empty in all lines is left out.
    static func lines(_ resources: [CachedResource], showsParts: Bool = false) -> [String] {
        let groups =
            showsParts
            ? resources.map { ListedResources(all: [$0], isPlaylist: false) }
            : ListedResources.groups(of: resources)
        let rows = groups.map { group in
            [
                String(group.first.identifier.prefix(12)),
                ByteSize.format(group.all.heldByteCount),
                group.share ?? Self.share(of: group.first), group.lastUse.listed,
                group.all.contains(where: \.isPinned) ? "pinned" : "",
                group.first.account.printableLine, group.name.printableLine,
            ]
        }
        // The last column needs no width.
        let widths = (0..<6).map { column in rows.map { $0[column].cellCount }.max() ?? 0 }
        return rows.map { row in
            let cells = row.dropLast().enumerated().filter { widths[$0.offset] > 0 }.map {
                column,
                cell in
                let gap = String(repeating: " ", count: widths[column] - cell.cellCount)
                return column == 1 ? gap + cell : cell + gap
            }
            return (cells + row.suffix(1)).joined(separator: "  ")
        }
    }

    private static func share(of resource: CachedResource) -> String {
        switch resource.length {
        case .some(let length) where resource.heldByteCount >= length: "whole"
        case .some(let length):
            "\(resource.heldByteCount.percentage(of: length)) % of \(ByteSize.format(length))"
        case .none: "of unknown length"
        }
    }

    private static func json(_ resource: CachedResource) -> JSON {
        [
            "event": "resource", "identifier": resource.identifier, "url": resource.display,
            "account": resource.account, "heldBytes": resource.heldByteCount,
            "bytes": resource.length,
            "mediaType": resource.mediaType?.description, "pinned": resource.isPinned,
            "lastUse": resource.lastUse.formatted(.iso8601),
            "created": resource.created.formatted(.iso8601),
        ]
    }
}

/// The resources of a line: one, or a playlist with the items that it names.
private struct ListedResources {
    /// The resources, in the order of the list.
    var all: [CachedResource]
    /// Whether the line is one of a playlist.
    let isPlaylist: Bool

    /// The playlist's own text, if the cache has it.
    var first: CachedResource { self.all.first { $0.playlist == nil } ?? self.all[0] }

    /// The playlist, or the resource itself.
    var name: String {
        guard self.isPlaylist, let playlist = self.first.playlist else {
            return self.first.readableURL
        }
        return String(playlist)
    }

    /// What the line of a playlist says in place of a share of bytes: the number of parts.
    var share: String? {
        let count = self.all.count { $0.playlist != nil }
        guard self.isPlaylist, count > 0 else { return nil }
        return count == 1 ? "1 part" : "\(count) parts"
    }

    var lastUse: Date { self.all.map(\.lastUse).max() ?? self.first.lastUse }

    /// Groups the items of a playlist with it, each group at the place of its first resource.
    static func groups(of resources: [CachedResource]) -> [ListedResources] {
        let playlists = Set(resources.compactMap(\.playlist))
        var groups: [ListedResources] = []
        var places: [[Substring]: Int] = [:]
        for resource in resources {
            let name = resource.playlist ?? resource.display[...]
            // Several resources may have one address, with different queries.
            guard playlists.contains(name) else {
                groups.append(ListedResources(all: [resource], isPlaylist: false))
                continue
            }
            let key = [resource.account[...], name]
            if let place = places[key] {
                groups[place].all.append(resource)
            } else {
                places[key] = groups.count
                groups.append(ListedResources(all: [resource], isPlaylist: true))
            }
        }
        return groups
    }
}

extension SpeechOptions {
    /// Prints the result for a resource.
    func tell(_ event: String, _ resource: CachedResource) throws {
        if self.json {
            try Output.json([
                "event": event, "identifier": resource.identifier, "url": resource.display,
                "account": resource.account, "heldBytes": resource.heldByteCount,
            ])
        } else if !self.quiet {
            let account = resource.account.isEmpty ? "" : " of \(resource.account.printableLine)"
            let whole =
                resource.length.map {
                    $0 > resource.heldByteCount ? " of \(ByteSize.format($0))" : ""
                }
                ?? ""
            let pin = resource.isPinned && event == "removed" ? ", which was pinned" : ""
            Output.print(
                "\(event) \(resource.display)\(account), \(ByteSize.format(resource.heldByteCount))\(whole)\(pin)"
            )
        }
    }
}

extension [CachedResource] {
    fileprivate var heldByteCount: Int64 { self.reduce(0) { $0.addingClamped($1.heldByteCount) } }

    /// The number of resources, and of their held bytes.
    fileprivate var summary: String {
        "\(self.count) \(self.count == 1 ? "resource" : "resources"), \(ByteSize.format(self.heldByteCount))"
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
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() throws {
        let path = try self.cache.path(ProgramEnvironment())
        if self.output.json {
            try Output.json(["event": "folder", "path": path])
        } else {
            Output.print(path)
        }
    }
}

struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep resources regardless of the cache limits.",
        discussion: """
            Weir does not remove pinned resources to make room, and also pins their later versions. For a folder, it \
            pins each held file of the folder. For a text, it pins each resource that weir cache list TEXT lists.

            EXAMPLES
              weir cache pin https://cloud.example/film.mp4
              weir cache pin archive:/Album 81d0e5
            """
    )

    @Argument(
        help: .value("thing", "URLs, folders, identifiers, or any text in URLs."),
        completion: Completions.cached
    )
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let resources = try await self.cache.resources(
                named: self.names,
                in: library
            )
            for resource in resources {
                try await library.pin(identifier: resource.identifier)
                try self.output.tell("pinned", resource)
            }
        }
    }
}

struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Apply the cache limits to pinned resources again.",
        discussion: """
            EXAMPLES
              weir cache unpin https://cloud.example/film.mp4
              weir cache unpin archive:/Album
            """
    )

    @Argument(
        help: .value("thing", "URLs, folders, identifiers, or any text in URLs."),
        completion: Completions.cached
    )
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let resources = try await self.cache.resources(
                named: self.names,
                in: library
            )
            for resource in resources {
                try await library.pin(identifier: resource.identifier, false)
                try self.output.tell("unpinned", resource)
            }
        }
    }
}

struct CacheRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove resources from the cache.",
        discussion: """
            A thing is a URL, a folder or an identifier, as in weir cache list. For a folder, the command removes each \
            held file of the folder. It does not ask for confirmation, so it does not accept another text.

            EXAMPLES
              weir cache remove https://cloud.example/film.mp4
              weir cache remove archive:/Album
              weir cache remove 3fa9c2
            """
    )

    @Argument(
        help: .value("thing", "URLs, folders or identifiers."),
        completion: Completions.cached
    )
    var names: [String]

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let resources = try await self.cache.resources(
                named: self.names,
                takesTexts: false,
                in: library
            )
            for resource in resources {
                try await library.remove(identifier: resource.identifier)
                try self.output.tell("removed", resource)
            }
        }
    }
}

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all resources from the cache except pinned ones.",
        discussion: """
            The command shows how much it would remove, and asks for confirmation. Without a terminal, pass --yes.

            EXAMPLES
              weir cache clear
              weir cache clear --yes --pinned
            """
    )

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(help: "Remove pinned resources, too.")
    var pinned = false

    @OptionGroup(title: "Cache") var cache: CacheSelection
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        try await self.cache.folder.withLibrary { library in
            let all = try await library.resources()
            let going = self.cache.chosen(all).filter { self.pinned || !$0.isPinned }
            let directory = library.configuration.directory
            let spared = all.count - going.count
            let what = going.summary
            if !going.isEmpty {
                try self.ask(
                    "Remove \(what) from \(directory)?\(spared > 0 ? " \(spared) kept." : "")"
                )
            }
            if spared == 0 {
                try await library.removeAll()
            } else {
                if let account = self.cache.account {
                    library.listings.removeAll(of: account)
                } else {
                    library.listings.removeAll()
                }
                for resource in going { try await library.remove(identifier: resource.identifier) }
            }
            if self.output.json {
                try Output.json([
                    "event": "cleared", "removed": going.count, "heldBytes": going.heldByteCount,
                    "kept": spared,
                ])
            } else if !self.output.quiet {
                Output.print(
                    "removed \(what), from \(directory)\(spared > 0 ? "; \(spared) kept" : "")"
                )
            }
        }
    }

    /// - Throws: ``CommandError`` with `usage` if there is no terminal to ask on, with `failed` if
    ///   the user refuses.
    private func ask(_ question: String) throws(CommandError) {
        guard !self.yes else { return }
        guard isatty(STDIN_FILENO) == 1, Output.isTerminal else {
            throw .usage("\(question) Cannot ask without a terminal; pass --yes.")
        }
        Output.ask("\(question) [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        guard answer == "y" || answer == "yes" else {
            throw .failed("Nothing was removed.")
        }
    }
}
