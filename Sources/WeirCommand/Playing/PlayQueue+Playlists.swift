// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirAudio
import WeirClouds
import WeirHTTP
import WeirLive
import WeirPlayback
import WeirSource

/// The entries of playlists.
extension PlayQueue {
    /// How many skipped entries are listed with their reasons.
    private static let mostReasons = 10

    func entries(
        of playlist: Playlist,
        at address: Address,
        _ isFirst: Bool,
        _ trail: ListTrail
    ) async throws -> [PlayerItem] {
        let trail = try trail.entering(address.url.location(), called: address.url.display)
        let entries = Self.candidates(of: playlist, from: .url(address.url.location()))
        let promises = entries.map { PlaylistPromise($0.0, at: $0.1.first) }
        guard !promises.isEmpty, !promises.contains(.file) else {
            return try await self.entries(
                entries,
                of: address.url.display,
                from: nil,
                trail,
                isCut: playlist.isCut
            )
        }
        // A playlist of stations is one station: its transport tries the entries in turn.
        let transport = try self.transport(to: address)
        guard let index = promises.firstIndex(of: .nothing) else {
            return [self.station(address, over: transport)]
        }
        // If the list does not give the kind of several entries, the first of these entries decides
        // for all of them. Without a response, the list may be a station.
        let found = try await self.answer(at: entries[index].1.first)
        if let (answer, promise) = found, promise != .station {
            answer.body.cancel()
            return try await self.entries(
                entries,
                of: address.url.display,
                from: nil,
                trail,
                isCut: playlist.isCut,
                promise
            )
        }
        guard let answer = found?.answer, isFirst, index == 0 else {
            found?.answer.body.cancel()
            return [self.station(address, over: transport)]
        }
        let entry = StationTarget.entry(entries[index].0.location)
        let answered = AnsweredTransport(transport, answer: answer, to: entry)
        return [self.station(address, over: answered)]
    }

    /// Sends a request to the URL of a playlist's entry.
    ///
    /// - Returns: the response, and the kind of the entry: a station, a file, or a list (`asked`);
    ///   `nil` if no server answers.
    private func answer(at location: PlaylistLocation?) async throws
        -> (answer: StationAnswer, promise: PlaylistPromise)?
    {
        guard case .url(let text)? = location else { return nil }
        do {
            let transport = try self.transport(to: self.address(text))
            let answer = try await transport.answer()
            let head = URLProbe.Answer(answer)
            if PathKind.kind(of: head.mediaType) == .playlist { return (answer, .asked) }
            guard head.isFile || head.mediaType?.topLevel == "text" else {
                return (answer, .station)
            }
            guard head.length ?? 0 <= Playlist.mostTypedAsSound else { return (answer, .file) }
            let answered = AnsweredTransport(transport, answer: answer)
            let isList = try await answered.peek(Playlist.markByteCount).map(Playlist.begins(with:))
            let whole = try await answered.connect(to: .station)
            return (whole, isList == true ? .asked : head.isFile ? .file : .station)
        } catch is SourceError {
            return nil
        }
    }

    func entries(of playlist: Playlist, in location: MediaLocation, _ trail: ListTrail)
        async throws -> [PlayerItem]
    {
        var list = PlaylistLocation.path(location.path)
        if case .files(let storage, _) = location.place {
            let names = [storage.folder] + location.path.components
            list = .file(names.joined(separator: "/"))
        }
        var place = "\(location.name):\(location.path)"
        if case .file(let path) = list { place = path }
        let trail = try trail.entering(place, called: location.display)
        let sources = self.resolver.configuration.sources.map(\.name)
        let entries = Self.candidates(of: playlist, from: list).map { entry, candidates in
            // A list on this machine may contain paths of sources, as the command line does.
            let isOfSource =
                !candidates.isEmpty && entry.location.firstRange(of: "://") == nil
                && sources.contains { entry.location.hasPrefix("\($0):") }
            guard isOfSource, case .file = list else { return (entry, candidates) }
            return (entry, [PlaylistLocation.file(entry.location)] + candidates)
        }
        return try await self.entries(
            entries,
            of: location.display,
            from: location,
            trail,
            isCut: playlist.isCut
        )
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
        _ trail: ListTrail,
        isCut: Bool,
        _ others: PlaylistPromise = .nothing
    ) async throws -> [PlayerItem] {
        var isCut = isCut
        var entries: [PlayerItem] = []
        var leftOut: [String] = []
        var ofLists: CommandError?
        for (entry, candidates) in locations {
            guard entries.count < Self.longest else {
                isCut = true
                break
            }
            guard !candidates.isEmpty else {
                leftOut.append("\(Self.name(of: entry)), which is not an address of a file")
                self.worst.note(.content)
                continue
            }
            do {
                let isOnly = locations.count == 1
                let promise = PlaylistPromise(
                    entry,
                    at: candidates.first,
                    isOnly: isOnly,
                    orElse: others
                )
                var found: [PlayerItem]
                do {
                    found = try await self.entries(at: candidates, from: origin, trail, promise)
                } catch is SourceError where isOnly && promise == .asked {
                    // An entry without an answer gets its kind from its name. It may answer when it
                    // is played.
                    let named = PlaylistPromise(entry, at: candidates.first)
                    found = try await self.entries(at: candidates, from: origin, trail, named)
                }
                if found.count == 1, let title = entry.title, !title.isEmpty {
                    found[0].name = title
                }
                entries += found
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                if let error = error as? CommandError, error.isOfLists {
                    ofLists = ofLists ?? error
                }
                leftOut.append("\(Self.name(of: entry)): \(error.ownerSentence)")
                self.worst.note(ExitStatus(for: error))
            }
        }
        // If playlists contain only one another, report that once, not as skipped entries.
        if entries.isEmpty, let ofLists { throw ofLists }
        if isCut { self.noteRest(of: display) }
        if !leftOut.isEmpty {
            self.note(
                "warning: \(leftOut.count) of the \(locations.count) entries of \(display) cannot be played and are"
                    + " left out."
            )
            for line in leftOut.prefix(Self.mostReasons) { self.note("  \(line.printableLine)") }
        }
        guard !entries.isEmpty else {
            throw CommandError.content(
                "\(display) is a playlist without playable entries; weir inspect shows its entries."
            )
        }
        return entries
    }

    /// The name of an entry in a warning, without the query, which may hold a credential.
    private static func name(of entry: Playlist.Entry) -> String {
        if let title = entry.title, !title.isEmpty { return title }
        return (try? OriginURL(OriginURL.withPath(entry.location)))?.display
            ?? String(entry.location.prefix { $0 != "?" && $0 != "@" })
    }

    /// Resolves an entry of a playlist, by the first of its candidates that exists.
    private func entries(
        at candidates: [PlaylistLocation],
        from origin: MediaLocation?,
        _ trail: ListTrail,
        _ promise: PlaylistPromise
    ) async throws -> [PlayerItem] {
        var failure: (any Error)?
        for location in candidates {
            do {
                if candidates.count > 1, promise != .station { try await self.find(location) }
                return try await self.entries(at: location, from: origin, trail, promise)
            } catch let error as CommandError {
                // Try the next candidate; if all fail, report the error of the first one.
                failure = failure ?? error
            } catch let error as SourceError where error.code == .notFound {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return []
    }

    /// Checks that the URL of one of an entry's spellings exists; does not check other locations.
    ///
    /// - Throws: `SourceError` with `notFound`; playback reports other errors.
    private func find(_ location: PlaylistLocation) async throws {
        guard case .url(let text) = location, !self.library.configuration.isOffline else { return }
        let address = try self.address(text)
        do {
            _ = try await address.location.media(in: self.library).describe()
        } catch let error as SourceError where error.code != .notFound {
            return
        }
    }

    /// Resolves an entry by its promise, or else by its name.
    ///
    /// For a URL, sends a request only if the promise is `asked`, or if the name suggests a
    /// playlist.
    private func entries(
        at location: PlaylistLocation,
        from origin: MediaLocation?,
        _ trail: ListTrail,
        _ promise: PlaylistPromise
    ) async throws -> [PlayerItem] {
        switch location {
        case .url(let text):
            let address = try self.address(text)
            let kind = PathKind(path: address.url.path)
            if kind == .playlist || promise == .asked {
                return try await self.entries(at: address, isFirst: false, trail)
            }
            if promise == .station || promise == .nothing && kind != .audio {
                return [self.station(address, over: try self.transport(to: address))]
            }
            return [PlayerItem(try address.location.media(in: self.library), name: address.name)]
        case .path(let path):
            guard let origin else { return [] }
            return try await self.entries(at: origin.at(path), trail)
        case .file(let path):
            let location = try await self.resolver.location(path).settled(in: self.library)
            return try await self.entries(at: location, trail)
        }
    }
}
