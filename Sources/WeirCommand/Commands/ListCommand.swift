// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List a folder of a source, a WebDAV server or this machine.",
        discussion: """
            Each line shows an entry: size, time of the last change, name. Folders end with a slash. --m3u writes a \
            playlist with URLs of the running weir serve that serves the source. Files come before folders, and 2 \
            before 10; more than 10,000 entries keep the order of the server. If the server cannot be reached, the \
            command prints the last known listing.

            EXAMPLES
              weir ls yandex:/Music
              weir ls yandex:/Music/Album --m3u > album.m3u
            """
    )

    @Argument(
        help: .value(
            "thing",
            "NAME:PATH of a source, a folder, or the URL of a WebDAV folder; without one, the sources."
        ),
        completion: Completions.things
    )
    var folder: String?

    @Flag(help: "Write a playlist of the playable files, with their URLs at weir serve.")
    var m3u = false

    @Flag(help: "List the folder from the cache only; send no request.")
    var offline = false

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard !self.m3u || self.folder != nil else {
            throw ValidationError(
                "--m3u writes the playlist of a folder; name a folder, as in: weir ls yandex:/Music --m3u"
            )
        }
        guard !(self.m3u && self.output.json) else {
            throw ValidationError("--m3u and --json exclude each other; leave one out.")
        }
    }

    func run() async throws {
        guard let folder else { return try self.listSources() }
        let settings = try MediaSettings(
            self.source,
            self.cache,
            self.output,
            isOffline: self.offline
        )
        if settings.libraryOptions.isOffline { try self.cache.requireFolder() }
        let command = self
        try await settings.withLibrary { library in
            try await Signals().interruptible {
                let location = try await MediaResolver(library: library, settings: settings)
                    .location(folder)
                    .settled(in: library)
                try await command.list(location, library, settings)
            }
        }
    }

    private func list(
        _ location: MediaLocation,
        _ library: MediaLibrary,
        _ settings: MediaSettings
    ) async throws {
        let storage = location.storage(in: library, view: self.m3u ? .held : .listed)
        let playlist = try await self.m3u ? self.playlist(of: location, settings) : nil
        let entry = try await storage.entry(at: location.path)
        if playlist != nil { Output.print(ProxiedPlaylist.header) }
        if entry.kind == .folder {
            var folder = ListedFolder(storage: storage, path: location.path)
            // A path on this machine can open a file of any name. So the listing of a folder of
            // this machine leaves out no name, but its playlist does.
            if location.written == nil || self.m3u {
                folder.leaveOut = { self.output.warn(ListedFolder.leftOut($0)) }
            }
            try await folder.read { entry, path in
                try self.show(entry, at: path, playlist)
                try Output.checkReader()
                return true
            }
        } else {
            try self.show(entry, at: location.path, playlist)
        }
        if let sentence = storage.outage?.listing { self.output.warn("warning: \(sentence)") }
    }

    /// A playlist of URLs at the running server, or at the default address if none is found.
    private func playlist(
        of location: MediaLocation,
        _ settings: MediaSettings
    ) async throws -> ProxiedPlaylist {
        if let base = await ServedPlace.base(of: location, settings.environment) {
            return ProxiedPlaylist(location, base: base)
        }
        let address = try ProxiedPlaylist.address(
            settings.configuration.settings,
            settings.environment
        )
        self.output.warn(
            "warning: No running weir serve with a page serves \(location.subject); the playlist is for a server that"
                + " listens on \(address.playerHost):\(address.port)."
        )
        return try ProxiedPlaylist(location, at: address, settings.environment)
    }

    private func show(_ entry: FolderEntry, at path: FolderPath, _ playlist: ProxiedPlaylist?)
        throws
    {
        if let playlist {
            for line in playlist.lines(entry, at: path) { Output.print(line) }
        } else if self.output.json {
            try Output.json(entry.json(at: path))
        } else {
            Output.print(entry.line)
        }
    }

    private func listSources() throws {
        let configuration = try self.cache.configuration.load(ProgramEnvironment())
        if configuration.sources.isEmpty {
            throw CommandError.usage(
                "There are no sources to list; add sources to \(configuration.file), or name a folder or a URL."
            )
        }
        for source in configuration.sources {
            if self.output.json {
                try Output.json(["event": "source", "name": source.name])
            } else {
                Output.print("\(source.name):/")
            }
        }
    }
}

extension FolderEntry {
    /// The entry, as `--json` prints it.
    fileprivate func json(at path: FolderPath) -> JSON {
        [
            "event": "entry", "name": self.name, "kind": self.kind.rawValue,
            "path": path.description,
            "bytes": self.length, "mediaType": self.mediaType?.description,
            "modified": self.modifiedTime,
        ]
    }

    /// Size, time and name as a line for a person.
    var line: String {
        "\(self.columns)  \(self.printableName)\(self.kind == .folder ? "/" : "")"
    }

    /// Size and time, in a fixed width.
    var columns: String {
        let size = self.kind == .folder ? "-" : self.length.map(ByteSize.format) ?? "?"
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        let time = self.modifiedSeconds.map { Date(timeIntervalSince1970: TimeInterval($0)).listed }
        return "\(padding)\(size)  \(time ?? String(repeating: " ", count: 16))"
    }

    /// The name, with `?` for control characters, which could move a terminal's cursor.
    var printableName: String {
        String(
            String.UnicodeScalarView(
                self.name.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? "?" : $0
                }
            )
        )
    }

    private var modifiedTime: String? {
        self.modifiedSeconds.map {
            Date(timeIntervalSince1970: TimeInterval($0)).formatted(.iso8601)
        }
    }
}

/// A playlist of the URLs at which `weir serve` serves the files of a source.
struct ProxiedPlaylist {
    /// The first line of an extended playlist.
    static let header = "#EXTM3U"

    private let location: MediaLocation
    private let base: String

    /// A playlist of a source's files; `base` is the source's URL, without a slash at its end.
    init(_ location: MediaLocation, base: String) {
        self.location = location
        self.base = base
    }

    /// A playlist for a server that starts later.
    ///
    /// - Throws: ``CommandError`` if the secret cannot be stored.
    init(
        _ location: MediaLocation,
        at address: ListenAddress,
        _ environment: ProgramEnvironment
    ) throws {
        let secret = try ProxySecret.stored(in: environment.configurationDirectory)
        self.init(
            location,
            base: "http://\(address.playerHost):\(address.port)/\(secret.text)/\(location.name)"
        )
    }

    /// The address of a server that starts without `--listen`.
    ///
    /// - Throws: ``CommandError`` if the variable is not an address.
    static func address(
        _ settings: ConfigurationSettings,
        _ environment: ProgramEnvironment
    ) throws -> ListenAddress {
        try environment.value("WEIR_LISTEN") ?? settings.listen ?? ListenAddress.standard
    }

    /// Two lines for a playable file, none for another entry.
    func lines(_ entry: FolderEntry, at path: FolderPath) -> [String] {
        guard entry.isPlayable(isDecrypted: self.location.isEncrypted) else { return [] }
        let address = "\(self.base)\(self.location.target(of: path.asFile))"
        return Self.lines(title: entry.name, address: address)
    }

    /// The two lines of an entry.
    static func lines(title: String, address: String) -> [String] {
        let title = title.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ["#EXTINF:-1,\(title)", address]
    }
}
