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

    /// The digest under which its position is remembered; `nil` for a station, which has none.
    var positionDigest: String? {
        guard case .media(let source) = self.content, let media = source as? Media else {
            return nil
        }
        return PlayPositions.digest(of: media)
    }
}

/// Hosts of which something is said once.
private final class ToldHosts: Sendable {
    private let hosts = Mutex<Set<String>>([])

    /// - Returns: whether it is new.
    func add(_ host: String) -> Bool { self.hosts.withLock { $0.insert(host).inserted } }
}

/// Makes a queue of the names on the command line: opens folders and playlists, and probes URLs.
struct PlayQueue {
    /// How many entries a queue has at most.
    static let longest = Playlist.maximumEntryCount
    /// Of how many entries that are left out it is said why.
    private static let mostReasons = 10
    /// How deep playlists may name playlists.
    static let deepest = 3

    let resolver: MediaResolver
    /// Takes a line about entries that were left out, and about what is waited for.
    let note: @Sendable (String) -> Void
    /// The origins that the command line names: they, and no other, are sent its headers.
    private let origins: [OriginURL]
    /// The worst status of the entries that were left out.
    let worst = WorstStatus()
    /// The hosts of which it was said that they are sent no header.
    private let toldHosts = ToldHosts()
    private let names: [String]

    /// A queue of names, as they were written; `others` stand on the command line, too.
    init(
        _ names: [String],
        beside others: [String] = [],
        _ resolver: MediaResolver,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.names = names
        self.resolver = resolver
        self.note = note
        self.origins = (names + others).compactMap { try? OriginURL(WebAddress.withPath($0)) }
    }

    private var library: MediaLibrary { self.resolver.library }

    /// The entries, in the order of their names; at least one.
    ///
    /// - Throws: ``CommandError``, `SourceError` for a name that cannot be played.
    func entries() async throws -> [PlayerItem] {
        var queue: [PlayerItem] = []
        for name in self.names {
            queue += try await self.entries(of: name, isFirst: queue.isEmpty)
        }
        return Array(queue.prefix(Self.longest))
    }

    private func entries(of text: String, isFirst: Bool) async throws -> [PlayerItem] {
        if text == StandardInputSource.name {
            return [PlayerItem(try StandardInputSource(), name: "standard input")]
        }
        if case .url(let url) = try self.resolver.name(text) {
            return try await self.entries(at: try self.address(url), isFirst: isFirst, 0)
        }
        switch try self.resolver.reference(text) {
        case .station(let station): return [PlayerItem(station.station)]
        case .media(let location): return try await self.entries(at: location, 0)
        }
    }
}

/// Locations that are no plain URLs.
extension PlayQueue {
    /// The medium, or the entries of the playlist or folder that it is; `depth` playlists led here.
    private func entries(at location: MediaLocation, _ depth: Int) async throws -> [PlayerItem] {
        if location.path.isFolder {
            do {
                return try await self.folder(location, or: nil)
            } catch let error as SourceError
                where error.code == .badAnswer && location.source.knownStorage == nil
            {
                // A web server that lists nothing may send a medium there.
            }
        }
        let media = try location.media(in: self.library)
        let fileName = location.path.name
        let kind = PathKind(path: fileName ?? location.target)
        if kind == .playlist, depth < Self.deepest {
            let playlist = try await Playlist.read(media, of: location.display)
            return try await self.entries(of: playlist, in: location, depth)
        }
        // A folder whose name does not say so.
        if let folder = try await location.folder(in: self.library) {
            return try await self.folder(folder, or: nil)
        }
        return [PlayerItem(media, name: fileName ?? location.display)]
    }

    /// The sound files of a folder and of the folders in it.
    ///
    /// - Throws: `failure` where it is none.
    private func folder(_ location: MediaLocation, or failure: (any Error)?) async throws
        -> [PlayerItem]
    {
        let files: [FolderWalk.File]
        var encryptedCount = 0
        do {
            let storage = location.source.storage(in: self.library)
            let walk = FolderWalk(storage: storage, limit: Self.longest, note: self.note)
            let isDecrypted = location.source.isEncrypted
            files = try await walk.files(in: location.path.asFolder) { entry in
                if !isDecrypted, entry.isEncrypted { encryptedCount += 1 }
                return PathKind(entry.content(isDecrypted: isDecrypted)) == .audio
            }
        } catch let error as SourceError {
            throw failure ?? error
        }
        let entries: [PlayerItem] = files.compactMap { file in
            let target = location.source.target(of: file.path)
            return location.source.media(for: target[...], in: self.library)
                .map { media in
                    let name = (file.folders + [file.entry.name]).joined(separator: "/")
                    return PlayerItem(media, name: name)
                }
        }
        let encrypted = location.encryptedFiles(encryptedCount)
        guard !entries.isEmpty else {
            if let encrypted { throw CommandError.content(encrypted) }
            throw failure
                ?? CommandError.content(
                    "\(location.display) is a folder without sound in it; weir ls \(location.display) shows what is there."
                )
        }
        if let encrypted { self.note("warning: \(encrypted)") }
        return entries
    }
}

extension MediaLocation {
    /// The sentence about files of the folder that are left out, since nothing says how they are decrypted; `nil` for
    /// none.
    func encryptedFiles(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let files = count == 1 ? "A file" : "\(count) files"
        return
            "\(files) of \(self.display) \(count == 1 ? "is" : "are") encrypted by the name, and left out; --decrypt age"
            + " --key-file FILE, or another format, plays what is encrypted."
    }
}

extension PlayQueue {
    /// A URL in the two ways in which it can be asked: as a medium, and as a station.
    private struct Address {
        let url: OriginURL
        let text: String
        let location: MediaLocation
        /// The headers for a station there.
        let headers: HTTPHeaderList

        /// The name until tags say more: of the file, or of the host.
        var name: String {
            let last = self.url.path.split(separator: "/").last.map(String.init)
            return last?.removingPercentEncoding ?? last ?? self.url.authority
        }

        var isPage: CommandError {
            CommandError.content(
                "\(self.url.display) was to be played, and is neither sound nor a list of it; weir inspect shows what is sent."
            )
        }
    }

    private func address(_ text: String) throws -> Address {
        let url = try OriginURL(text)
        var resolver = self.resolver
        if !self.origins.contains(where: { $0.isSameOrigin(as: url) }) {
            if !resolver.given.headers.isEmpty, self.toldHosts.add(url.authority) {
                self.note(
                    "warning: The headers of the command line are not sent to \(url.authority), which only a playlist names;"
                        + " name a URL of it on the command line, too, or make it a source of the configuration."
                )
            }
            resolver.given.headers = HTTPHeaderList()
            resolver.given.account = nil
        }
        return Address(
            url: url,
            text: text,
            location: resolver.origin(url, text),
            headers: resolver.given.headers
        )
    }

    private func transport(to address: Address) throws(SourceError) -> any StationTransport {
        try self.resolver.transport(to: address.text, headers: address.headers)
    }

    private func station(_ address: Address, over transport: any StationTransport) -> PlayerItem {
        PlayerItem(Station(name: address.name, transport: transport, options: StationOptions()))
    }

    /// The medium or station, or the entries of the playlist or folder that a URL is, by asking it.
    ///
    /// `isFirst`: it is played at once, so that a connection to a station is worth keeping. `depth` playlists led here.
    private func entries(at address: Address, isFirst: Bool, _ depth: Int) async throws
        -> [PlayerItem]
    {
        let media = try address.location.media(in: self.library)
        if self.library.configuration.isOffline, address.url.path.hasSuffix("/") {
            return try await self.folder(address.location, or: nil)
        }
        var probe = URLProbe(
            PathKind(path: address.url.path),
            isFile: self.resolver.given.decryption != nil && !address.url.path.hasSuffix("/")
                || self.library.configuration.isOffline || !media.currentAvailability.held.isEmpty
        )
        var answered: AnsweredTransport?
        defer { if !isFirst { answered?.abandon() } }
        var failure: (any Error)?
        var step = probe.begin()
        let reminder = Reminder(say: self.note)
        let waiting = "\(address.url.display) has not answered so far; it is waited for."
        while true {
            do {
                switch step {
                case .describe:
                    step = probe.described(try await reminder.during(waiting, media.describe))
                case .connect:
                    let transport = try self.transport(to: address)
                    let answer = try await reminder.during(waiting) { try await transport.answer() }
                    answered = AnsweredTransport(transport, answer: answer)
                    step = probe.answered(URLProbe.Answer(answer))
                case .file:
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
                    return try await self.entries(of: list, at: address, isFirst, depth)
                case .playlist(let isAnswered):
                    let playlist: Playlist
                    if isAnswered, let answered {
                        let bytes = try await answered.beginning()
                        playlist = try Playlist(read: bytes, of: address.url.display)
                    } else {
                        playlist = try await Playlist.read(media, of: address.url.display)
                    }
                    return try await self.entries(of: playlist, at: address, isFirst, depth)
                case .folder:
                    do {
                        return try await self.folder(
                            address.location,
                            or: failure ?? address.isPage
                        )
                    } catch  where failure == nil && !address.url.path.hasSuffix("/") {
                        // A page that lists nothing: the library says what it is.
                        step = .file
                    }
                case .fail: throw failure ?? address.isPage
                }
            } catch let error as SourceError where step == .describe || step == .connect {
                failure = error
                step = probe.failed(error.code)
            }
        }
    }
}

extension PlayQueue {
    private func entries(
        of playlist: Playlist,
        at address: Address,
        _ isFirst: Bool,
        _ depth: Int
    ) async throws -> [PlayerItem] {
        let entries = Self.candidates(of: playlist, from: .url(address.text))
        let promises = entries.map { PlaylistPromise($0.0, at: $0.1.first) }
        guard !promises.isEmpty, !promises.contains(.file) else {
            return try await self.entries(entries, of: address.url.display, from: nil, depth)
        }
        // A playlist of stations is one station, whose transport tries them in turn.
        let transport = try self.transport(to: address)
        guard let index = promises.firstIndex(of: .nothing) else {
            return [self.station(address, over: transport)]
        }
        // What the list does not say of its entries, the first of them does; what does not answer may be a station.
        let answer = try await self.answer(at: entries[index].1.first)
        if let answer, URLProbe.Answer(answer).isFile {
            answer.body.cancel()
            return try await self.entries(entries, of: address.url.display, from: nil, depth, .file)
        }
        guard let answer, isFirst, index == 0 else {
            answer?.body.cancel()
            return [self.station(address, over: transport)]
        }
        let entry = StationTarget.entry(entries[index].0.location)
        let answered = AnsweredTransport(transport, answer: answer, to: entry)
        return [self.station(address, over: answered)]
    }

    /// What is answered at an address that a playlist names; `nil` if nothing is.
    private func answer(at location: PlaylistLocation?) async throws -> StationAnswer? {
        guard case .url(let text)? = location else { return nil }
        do {
            return try await self.transport(to: self.address(WebAddress.withPath(text))).answer()
        } catch is SourceError {
            return nil
        }
    }

    private func entries(of playlist: Playlist, in location: MediaLocation, _ depth: Int)
        async throws -> [PlayerItem]
    {
        var list = PlaylistLocation.path(location.path)
        if case .files(let storage, _) = location.source.location {
            let names = [storage.folder] + location.path.components
            list = .file(names.joined(separator: "/"))
        }
        let sources = self.resolver.configuration.sources.map(\.name)
        let entries = Self.candidates(of: playlist, from: list).map { entry, candidates in
            // A list of this machine may name paths of sources, as the command line does.
            let isOfSource =
                !candidates.isEmpty && entry.location.firstRange(of: "://") == nil
                && sources.contains { entry.location.hasPrefix("\($0):") }
            guard isOfSource, case .file = list else { return (entry, candidates) }
            return (entry, [PlaylistLocation.file(entry.location)] + candidates)
        }
        return try await self.entries(entries, of: location.display, from: location, depth)
    }

    private static func candidates(of playlist: Playlist, from list: PlaylistLocation)
        -> [(Playlist.Entry, [PlaylistLocation])]
    {
        playlist.entries.map { entry in
            (entry, PlaylistLocation.candidates(entry.location, in: playlist.kind, from: list))
        }
    }

    private func entries(
        _ locations: [(Playlist.Entry, [PlaylistLocation])],
        of display: String,
        from origin: MediaLocation?,
        _ depth: Int,
        _ others: PlaylistPromise = .nothing
    ) async throws -> [PlayerItem] {
        var entries: [PlayerItem] = []
        var leftOut: [String] = []
        var others = others
        if locations.count == 1, let (entry, candidates) = locations.first,
            PlaylistPromise(entry, at: candidates.first) == .nothing, others == .nothing,
            let answer = try await self.answer(at: candidates.first)
        {
            others = URLProbe.Answer(answer).isFile ? .file : .station
            answer.body.cancel()
        }
        for (entry, candidates) in locations {
            guard entries.count < Self.longest, !candidates.isEmpty else {
                leftOut.append("\(Self.name(of: entry)), which is no address of a file")
                self.worst.note(.content)
                continue
            }
            do {
                let promise = PlaylistPromise(entry, at: candidates.first)
                var found = try await self.entries(
                    at: candidates,
                    from: origin,
                    depth + 1,
                    promise == .nothing ? others : promise
                )
                if found.count == 1, let title = entry.title, !title.isEmpty {
                    found[0].name = title
                }
                entries += found
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                leftOut.append("\(Self.name(of: entry)): \(error)")
                self.worst.note(ExitStatus(for: error))
            }
        }
        if !leftOut.isEmpty {
            self.note(
                "warning: \(leftOut.count) of the \(locations.count) entries of \(display) cannot be played here and are left out."
            )
            for line in leftOut.prefix(Self.mostReasons) { self.note("  \(line.printableLine)") }
        }
        guard !entries.isEmpty else {
            throw CommandError.content(
                "\(display) is a list without anything that can be played; weir inspect shows what it names."
            )
        }
        return entries
    }

    /// How an entry is called in a warning; a query may hold a credential.
    private static func name(of entry: Playlist.Entry) -> String {
        if let title = entry.title, !title.isEmpty { return title }
        return (try? OriginURL(WebAddress.withPath(entry.location)))?.display
            ?? String(entry.location.prefix { $0 != "?" && $0 != "@" })
    }

    /// An entry of a playlist, by the first of its candidates that is there.
    private func entries(
        at candidates: [PlaylistLocation],
        from origin: MediaLocation?,
        _ depth: Int,
        _ promise: PlaylistPromise
    ) async throws -> [PlayerItem] {
        var failure: (any Error)?
        for location in candidates {
            do {
                return try await self.entries(at: location, from: origin, depth, promise)
            } catch let error as CommandError {
                // What else it may mean is told by the next; that it is not there, by the first.
                failure = failure ?? error
            } catch let error as SourceError where error.code == .notFound {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return []
    }

    /// An entry of a playlist, by what that promises, or else by its name: nothing is asked before its turn comes.
    private func entries(
        at location: PlaylistLocation,
        from origin: MediaLocation?,
        _ depth: Int,
        _ promise: PlaylistPromise
    ) async throws -> [PlayerItem] {
        switch location {
        case .url(let text):
            let address = try self.address(WebAddress.withPath(text))
            let kind = PathKind(path: address.url.path)
            if kind == .playlist {
                // Lists that name one another come to an end.
                guard depth < Self.deepest else { return [] }
                return try await self.entries(at: address, isFirst: false, depth)
            }
            if promise == .station || promise == .nothing && kind != .audio {
                return [self.station(address, over: try self.transport(to: address))]
            }
            return [PlayerItem(try address.location.media(in: self.library), name: address.name)]
        case .path(let path):
            guard let source = origin?.source else { return [] }
            let target = source.target(of: path)
            return try await self.entries(
                at: MediaLocation(source: source, target: target, path: path),
                depth
            )
        case .file(let path):
            return try await self.entries(at: try self.resolver.location(path), depth)
        }
    }
}
