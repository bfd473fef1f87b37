// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirProxy

/// `weir ls`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List a folder of a source, a WebDAV server or this machine.",
        discussion: """
            A line an entry: size, time of the last change, name; folders end with a slash. --m3u writes a \
            playlist of the URLs that weir serve serves. Long folders are listed as they come.

            EXAMPLES
              weir ls yandex:/Music
              weir ls yandex:/Music/Album --m3u > album.m3u
            """
    )

    @Argument(
        help: ArgumentHelp(
            "NAME:PATH of a source, a folder, or the URL of a WebDAV folder; none lists the sources.",
            valueName: "thing"
        )
    )
    var thing: String?

    @Flag(help: "Write a playlist of proxied URLs of all that can be played.")
    var m3u = false

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard !(self.m3u && self.output.json) else {
            throw ValidationError("--m3u and --json exclude each other; leave one out.")
        }
    }

    func run() async throws {
        let surroundings = Surroundings()
        let configuration = try self.cache.folder.configuration.load(surroundings)
        guard let thing else { return try self.listSources(configuration) }
        var options = try self.cache.libraryOptions(surroundings, configuration.settings)
        try self.source.apply(to: &options, surroundings, configuration.settings)
        options.observer = EventLine.observer(self.output)
        let given = SourceMaker.Given(
            headers: try self.source.headerList(surroundings),
            account: self.source.accountName(surroundings)
        )
        let library = try MediaLibrary(options)
        let command = self
        do {
            try await Signals.interruptible {
                let found = try SourceMaker(
                    library: library,
                    configuration: configuration,
                    surroundings: surroundings,
                    given: given
                ).thing(thing)
                try await command.list(found, library, configuration, surroundings)
            }
            await library.close()
        } catch {
            await library.close()
            throw error
        }
    }

    private func list(
        _ thing: Thing,
        _ library: MediaLibrary,
        _ configuration: Configuration,
        _ surroundings: Surroundings
    ) async throws {
        let storage = try thing.source.storage(in: library)
        var playlist: Playlist?
        if self.m3u {
            playlist = try Playlist(thing.source, configuration.settings, surroundings)
            Output.print(Playlist.header)
        }
        let entry = try await storage.entry(at: thing.path)
        guard entry.kind == .folder else {
            return try self.show(entry, at: thing.path, playlist)
        }
        for try await page in storage.entries(in: thing.path) {
            for entry in page {
                guard let path = try? thing.path.appending(entry.name) else { continue }
                try self.show(entry, at: path, playlist)
            }
        }
    }

    private func show(_ entry: FolderEntry, at path: FolderPath, _ playlist: Playlist?) throws {
        if let playlist {
            for line in playlist.lines(entry, at: path) { Output.print(line) }
        } else if self.output.json {
            try Output.json(EntryLine(entry, path: path))
        } else {
            Output.print(EntryLine.text(entry))
        }
    }

    private func listSources(_ configuration: Configuration) throws {
        if configuration.sources.isEmpty {
            throw CommandError(
                .usage,
                "There are no sources to list; write some into \(configuration.file), or name a folder or a URL."
            )
        }
        for source in configuration.sources {
            if self.output.json {
                try Output.json(["name": source.name, "kind": "source"])
            } else {
                Output.print("\(source.name):/")
            }
        }
    }
}
