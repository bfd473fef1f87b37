// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Weir
import WeirAudio
import WeirClouds
import WeirHTTP
import WeirLive
import WeirPlayback
import WeirSource

extension PlayerItem {
    var station: Station? {
        if case .station(let station) = self.content { station } else { nil }
    }

    /// The digest of the medium for remembered positions; `nil` for a station, which has no
    /// position.
    var positionDigest: String? {
        guard case .media(let source) = self.content, let media = source as? Media else {
            return nil
        }
        return PlayPositions.digest(of: media)
    }
}

/// The hosts that a message has already named.
private final class ToldHosts: Sendable {
    private let hosts = Mutex<Set<String>>([])

    /// - Returns: whether the host is new.
    func add(_ host: String) -> Bool { self.hosts.withLock { $0.insert(host).inserted } }
}

/// Makes a queue from the names on the command line: opens folders and playlists, and probes URLs.
struct PlayQueue {
    /// The largest number of entries in a queue.
    static let longest = Playlist.maximumEntryCount

    let resolver: MediaResolver
    /// Takes a line about skipped entries, or about a server that Weir waits for.
    let note: @Sendable (String) -> Void
    /// The origins on the command line; only they receive the headers of the command line.
    private let origins: [OriginURL]
    /// The worst status of the skipped entries.
    let worst = WorstStatus()
    /// The hosts that a message has named because they receive no header.
    private let toldHosts = ToldHosts()
    private let names: [String]

    /// A queue of names as the user wrote them; `others` are further names on the command line.
    init(
        _ names: [String],
        beside others: [String] = [],
        _ resolver: MediaResolver,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.names = names
        self.resolver = resolver
        self.note = note
        self.origins = (names + others).compactMap { try? OriginURL(OriginURL.withPath($0)) }
    }

    var library: MediaLibrary { self.resolver.library }

    /// The entries, in the order of the names on the command line; at least one.
    ///
    /// - Throws: ``CommandError``, `SourceError` for a name that cannot be played.
    func entries() async throws -> [PlayerItem] {
        var queue: [PlayerItem] = []
        for name in self.names {
            queue += try await self.entries(of: name, isFirst: queue.isEmpty)
        }
        if queue.count > Self.longest { self.noteRest(of: "The command line") }
        return Array(queue.prefix(Self.longest))
    }

    /// Reports that there are more entries than a queue may have.
    func noteRest(of display: String) {
        self.note(
            "warning: \(display) names more than \(Self.longest) entries; the first \(Self.longest) are taken, and the others"
                + " are left out."
        )
        self.worst.note(.content)
    }

    private func entries(of text: String, isFirst: Bool) async throws -> [PlayerItem] {
        if text == StandardInputSource.name {
            return [PlayerItem(try StandardInputSource(), name: "standard input")]
        }
        if case .url(let url) = try self.resolver.name(text) {
            return try await self.entries(at: try self.address(url), isFirst: isFirst, ListTrail())
        }
        switch try self.resolver.reference(text) {
        case .station(let station): return [PlayerItem(station.station)]
        case .media(let location):
            return try await self.entries(at: location.settled(in: self.library), ListTrail())
        }
    }
}

/// Locations that are not plain URLs.
extension PlayQueue {
    /// The medium, or the entries of a playlist or folder, at a location.
    func entries(at location: MediaLocation, _ trail: ListTrail) async throws -> [PlayerItem] {
        if location.path.isFolder {
            do {
                return try await self.folder(location, or: nil)
            } catch let error as SourceError
                where error.code == .badAnswer && location.knownStorage == nil
            {
                // A web server that lists nothing may have a medium at this path.
            }
        }
        let media = try location.media(in: self.library)
        let fileName = location.path.name
        let kind = PathKind(path: fileName ?? location.target)
        if kind == .playlist {
            let playlist = try await Playlist.read(media, of: location.display)
            return try await self.entries(of: playlist, in: location, trail)
        }
        // The path may be a folder without a slash at its end.
        if let folder = try await location.folder(in: self.library) {
            return try await self.folder(folder, or: nil)
        }
        // On this machine it is cheap to check a short file that is named like sound.
        if kind == .unknown || kind == .audio && location.isLocal,
            let description = try? await media.describe(),
            await media.beginsAsPlaylist(ofLength: description.length)
        {
            let playlist = try await Playlist.read(media, of: location.display)
            return try await self.entries(of: playlist, in: location, trail)
        }
        return [PlayerItem(media, name: fileName ?? location.display)]
    }

    /// The sound files of a folder and its subfolders.
    ///
    /// - Throws: `failure`, or else the actual error, if the folder cannot be listed or has no
    ///   sound files; ``CommandError`` with `content` if it has only encrypted ones.
    private func folder(_ location: MediaLocation, or failure: (any Error)?) async throws
        -> [PlayerItem]
    {
        let files: [FolderWalk.File]
        var away: (any Error)?
        var encryptedCount = 0
        do {
            let storage = location.storage(in: self.library, view: .held)
            let walk = FolderWalk(storage: storage, limit: Self.longest, note: self.note)
            let isDecrypted = location.isEncrypted
            files = try await walk.files(in: location.path.asFolder) { entry in
                if !isDecrypted, entry.isEncrypted { encryptedCount += 1 }
                return PathKind(entry.content(isDecrypted: isDecrypted)) == .audio
            }
            let outage = storage.outage
            if !files.isEmpty, let sentence = outage?.playing(files.map(\.path)) {
                self.note("warning: \(sentence)")
            }
            away = outage?.error
        } catch let error as SourceError {
            throw failure ?? error
        }
        let entries: [PlayerItem] = files.compactMap { file in
            let target = location.target(of: file.path)
            return location.media(for: target[...], in: self.library)
                .map { media in
                    let name = (file.folders + [file.entry.name]).joined(separator: "/")
                    return PlayerItem(media, name: name)
                }
        }
        let encrypted = location.encryptedFiles(encryptedCount)
        guard !entries.isEmpty else {
            if let encrypted { throw CommandError.content(encrypted) }
            throw failure ?? away
                ?? CommandError.content(
                    "\(location.display) is a folder without audio files; weir ls \(location.display) lists its files."
                )
        }
        if let encrypted { self.note("warning: \(encrypted)") }
        return entries
    }
}

extension PlayQueue {
    /// A URL, for the two kinds of requests: as a medium, and as a station.
    struct Address {
        let url: OriginURL
        let location: MediaLocation

        /// The name until tags give a better one: the file's name, or else the host.
        var name: String {
            let last = self.url.path.split(separator: "/").last.map(String.init)
            return last?.removingPercentEncoding ?? last ?? self.url.authority
        }

        var isPage: CommandError {
            CommandError.content(
                "\(self.url.display) is neither audio nor a playlist; weir inspect shows its content."
            )
        }
    }

    func address(_ text: String) throws -> Address {
        let url = try OriginURL(OriginURL.withPath(text))
        var resolver = self.resolver
        if !self.origins.contains(where: { $0.isSameOrigin(as: url) }) {
            if !resolver.settings.headers.isEmpty, self.toldHosts.add(url.authority) {
                self.note(
                    "warning: Weir does not send the headers of the command line to \(url.authority), which only a"
                        + " playlist names; name a URL of this host on the command line, too, or make it a source of"
                        + " the configuration."
                )
            }
            resolver.settings.headers = HTTPHeaderList()
            resolver.settings.account = nil
        }
        return Address(url: url, location: resolver.origin(url))
    }

    func transport(to address: Address) throws(SourceError) -> any StationTransport {
        try self.library.stationTransport(address.url, headers: address.location.headers)
    }

    func station(_ address: Address, over transport: any StationTransport) -> PlayerItem {
        PlayerItem(Station(name: address.name, transport: transport, options: StationOptions()))
    }

    /// Determines the kind of a URL by requests; returns the medium, the station, or the entries.
    ///
    /// `isFirst`: the item plays at once, so its connection to a station is kept.
    func entries(at address: Address, isFirst: Bool, _ trail: ListTrail) async throws
        -> [PlayerItem]
    {
        let media = try address.location.media(in: self.library)
        let kind = PathKind(path: address.url.path)
        let isOffline = self.library.configuration.isOffline
        if isOffline, kind == .folder {
            return try await self.folder(address.location, or: nil)
        }
        if isOffline, kind == .unknown, media.availability.held.isEmpty,
            let items = try? await self.folder(address.location, or: nil)
        {
            return items
        }
        var probe = URLProbe(
            kind,
            isFile: self.resolver.settings.decryption != nil && !address.url.path.hasSuffix("/")
                || isOffline || !media.availability.held.isEmpty
        )
        var answered: AnsweredTransport?
        defer { if !isFirst { answered?.abandon() } }
        var failure: (any Error)?
        var length: Int64?
        var step = probe.begin()
        let reminder = Reminder(say: self.note)
        while true {
            do {
                switch step {
                case .describe:
                    let description = try await media.describe()
                    length = description.length
                    step = probe.described(description)
                case .connect:
                    let transport = try self.transport(to: address)
                    let limit = ReconnectPolicy().answerLimit
                    let answer = try await reminder.during(address.url.display, limit: limit) {
                        try await transport.answer(within: limit)
                    }
                    answered = AnsweredTransport(transport, answer: answer)
                    step = probe.answered(URLProbe.Answer(answer))
                case .file:
                    // The bytes show whether the file is a playlist, whatever its name.
                    if let head = try await answered?.peek(Playlist.markByteCount) {
                        if Playlist.begins(with: head) {
                            step = .playlist(isAnswered: true)
                            continue
                        }
                    } else if await media.beginsAsPlaylist(ofLength: length) {
                        step = .playlist(isAnswered: false)
                        continue
                    }
                    answered?.abandon()
                    return [PlayerItem(media, name: address.name)]
                case .station:
                    let kept = isFirst ? answered : nil
                    return [self.station(address, over: try kept ?? self.transport(to: address))]
                case .text:
                    guard let bytes = try await answered?.beginning(),
                        let list = try? Playlist(read: bytes, of: address.url.display)
                    else {
                        step = .file
                        continue
                    }
                    return try await self.entries(of: list, at: address, isFirst, trail)
                case .playlist(let isAnswered):
                    let playlist: Playlist
                    if isAnswered, let answered {
                        let bytes = try await answered.beginning()
                        playlist = try Playlist(read: bytes, of: address.url.display)
                    } else {
                        playlist = try await Playlist.read(media, of: address.url.display)
                    }
                    return try await self.entries(of: playlist, at: address, isFirst, trail)
                case .folder:
                    do {
                        return try await self.folder(
                            address.location,
                            or: failure ?? address.isPage
                        )
                    } catch  where failure == nil && !address.url.path.hasSuffix("/") {
                        // The page lists nothing, so try to open it as a file; the library decides
                        // whether it is one.
                        step = .file
                    }
                case .fail: throw failure ?? address.isPage
                }
            } catch let error as SourceError where step == .describe || step == .connect {
                failure = error
                address.location.state.note(error)
                step = probe.failed(error.code, isEndless: error.cause is EndlessRedirects)
            }
        }
    }
}
