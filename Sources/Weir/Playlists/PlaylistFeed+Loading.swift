// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirClouds
import WeirHLS
import WeirHTTP
import WeirSharing
import WeirSource

// The current text: where it comes from, and when it is loaded.
extension PlaylistFeed {
    /// The text to give; `nil` if the medium is no longer a playlist.
    func current(from source: any ByteSource) async throws -> PlaylistEdition? {
        guard !self.state.withLock({ $0.isClosed }) else { throw SharedSource.closedError }
        let now = self.timeline.elapsed()
        let (effects, edition, count, isUnsaved) = self.state.withLock { state in
            (
                state.machine.requested(at: now), state.texts.current, self.loadEnded.count,
                state.texts.hasUnsaved
            )
        }
        self.schedule(effects)
        if effects.loads { self.startLoad(from: source) }
        if isUnsaved, edition?.playlist.life == .complete,
            let reading = try? await source.read(.whole)
        {
            // The cache takes the text as it passes.
            _ = try? await PlaylistOrigin.text(of: reading, self.name)
        }
        switch effects.reply {
        case .current, nil: return edition
        case .unavailable(let time): throw self.unavailable(for: time)
        case .loaded(let patience): return try await self.loaded(within: patience, after: count)
        }
    }

    /// Starts a load that the machine wants; `source` has the stored text, if a viewer asks.
    private func startLoad(from source: (any ByteSource)?) {
        // Owned by this feed, which cancels it when it closes; ends with the load. All viewers wait for it, so
        // it is no request of the one that came first.
        let task = ClientRequest.$current.withValue(nil) {
            Task { _ = try? await self.load(source) }
        }
        self.loading.withLock { $0 = task }
    }

    /// Waits for the end of the next load.
    ///
    /// - Parameters:
    ///   - patience: how long to wait; then the machine decides about the answer.
    ///   - count: how many loads had ended when the viewer asked.
    /// - Returns: the text; `nil` if the medium is no longer a playlist.
    /// - Throws: the error of the load; `throttled` if the text of a live stream is too old.
    private func loaded(
        within patience: Duration?,
        after count: UInt64
    ) async throws -> PlaylistEdition? {
        var isInTime = true
        if let patience {
            isInTime = try await self.loadEnded.wait(
                after: count,
                atMost: patience,
                on: self.timeline
            )
        } else {
            try await self.loadEnded.wait(after: count)
        }
        let now = self.timeline.elapsed()
        let (reply, edition, failure) = self.state.withLock { state in
            (state.machine.reply(withoutLoadAt: now), state.texts.current, state.failure)
        }
        if isInTime, failure == nil { return edition }
        if failure is NotAPlaylist { return nil }
        // The loader refuses held bytes only if the policy says so.
        if let error = failure as? SourceError, edition?.playlist.life == .complete,
            error.status.map({ 400..<500 ~= $0 }) ?? false
        {
            throw error
        }
        guard case .unavailable(let time) = reply else {
            if let edition { return edition }
            throw failure ?? self.unavailable(for: .seconds(1))
        }
        // The origin's own refusal says more than that the text is old.
        if let error = failure as? SourceError, error.status.map({ $0 < 500 }) ?? false {
            throw error
        }
        throw self.unavailable(for: time)
    }

    /// Loads the text once, and reports the result to the machine.
    private func load(_ source: (any ByteSource)?) async throws -> PlaylistEdition {
        let before = self.edition
        defer { self.loadEnded.raise() }
        do {
            let edition: PlaylistEdition
            var age: Duration?
            if let source, before?.playlist.life ?? .complete == .complete {
                (edition, age) = try await self.loadStored(source)
            } else {
                (edition, age) = try await self.loadChanging(unless: before)
            }
            let now = self.timeline.elapsed()
            self.schedule(
                self.state.withLock { [age] state in
                    let wasChanging = before.map { $0.playlist.life != .complete } ?? false
                    if wasChanging, edition.playlist.life == .complete {
                        state.texts.save(edition)
                    }
                    return self.note(edition, age: age, at: now, in: &state)
                }
            )
            return edition
        } catch {
            let now = self.timeline.elapsed()
            self.schedule(
                self.state.withLock { state in
                    if error is NotAPlaylist {
                        state.isPlaylist = false
                        state.texts.forget()
                    }
                    state.failure = error
                    return state.machine.failed(at: now)
                }
            )
            throw error
        }
    }

    /// Takes a text as the current one; `age` is the time since its load began, if that is known.
    func note(
        _ edition: PlaylistEdition,
        age: Duration? = nil,
        at now: Duration,
        in state: inout State
    ) -> PlaylistMachine.Effects {
        let isChanged = state.texts.take(edition)
        state.failure = nil
        let named = Set(edition.items.keys.map(\.identifier))
        state.children = state.children.filter { named.contains($0.key) }
        return state.machine.loaded(
            PlaylistMachine.Loaded(
                life: edition.playlist.life,
                targetDuration: edition.targetDuration,
                isChanged: isChanged,
                age: age
            ),
            at: now
        )
    }

    /// Reads the stored text, which the origin confirms if the policy wants that.
    ///
    /// - Returns: the text, and the time since its load began, if that is known.
    private func loadStored(
        _ source: any ByteSource
    ) async throws -> (PlaylistEdition, age: Duration?) {
        let reading = try await source.read(.whole)
        guard let mark = PlaylistMark(reading.resource) else { throw NotAPlaylist() }
        // The text of a live stream on disk says nothing about the stream now.
        guard mark != .live else {
            if let received = self.state.withLock({ $0.texts.takeReceived() }) {
                return (received, nil)
            }
            return try await self.loadChanging(unless: nil)
        }
        return (try self.stored(try await PlaylistOrigin.text(of: reading, self.name), mark), nil)
    }

    /// The edition of a stored text, with the addresses that are good now if they are known.
    func stored(_ text: [UInt8], _ mark: PlaylistMark) throws -> PlaylistEdition {
        guard case .complete(let known) = mark else { throw NotAPlaylist() }
        var edition: PlaylistEdition
        if let found = self.state.withLock({ $0.texts.found(known) }) {
            edition = found
        } else {
            let base = PlaylistEdition.base(ofStored: text) ?? self.url
            edition = try self.edition(try self.scanned(text, at: base), at: base, originTag: nil)
        }
        edition.since = known.since
        return edition
    }

    /// Requests a text that changes, unless another process of the cache folder has just done so.
    ///
    /// - Returns: the text, and the time since its load began.
    private func loadChanging(
        unless known: PlaylistEdition?
    ) async throws -> (PlaylistEdition, age: Duration?) {
        guard self.origin.withLock({ $0 != nil }) else { throw Self.offline(self.name) }
        let (last, before) = self.state.withLock { ($0.sharedNumber, $0.texts.current?.serial) }
        var loaded: PlaylistEdition?
        let (text, number) = try await self.access.sharedText(self.key, after: last) {
            let edition = try await self.loadDirectly(unless: known)
            loaded = edition
            return edition.shared
        }
        self.state.withLock { $0.sharedNumber = number }
        if let loaded { return (loaded, text.age) }
        // A reload may have brought a newer text meanwhile.
        if let current = self.edition, current.serial != before { return (current, nil) }
        if let known, known.playlist.text == text.bytes { return (known, text.age) }
        guard let base = try? OriginURL(text.location),
            let playlist = try? self.scanned(text.bytes, at: base)
        else { return (try await self.loadDirectly(unless: known), nil) }
        return (try self.edition(playlist, at: base, originTag: text.entityTag), text.age)
    }

    /// Requests the text from the origin.
    func loadDirectly(unless known: PlaylistEdition?) async throws -> PlaylistEdition {
        guard !self.state.withLock({ $0.isClosed }) else { throw SharedSource.closedError }
        guard let origin = self.origin.withLock({ $0 }) else {
            throw Self.offline(self.name)
        }
        guard let reading = try await origin.readWhole(unless: known?.originTag) else {
            if let known { return known }
            throw NotAPlaylist()
        }
        let text = try await PlaylistOrigin.text(of: reading, self.name)
        if let known, known.playlist.text == text { return known }
        guard let edition = try self.received(text, in: reading.resource, from: origin) else {
            throw NotAPlaylist()
        }
        _ = self.state.withLock { $0.texts.takeReceived() }
        return edition
    }

    /// Requests the text of a playlist whose stored form the cache asks for.
    ///
    /// - Parameters:
    ///   - origin: the origin of the playlist.
    ///   - tag: an entity tag that makes the request conditional.
    /// - Returns: the edition, `nil` if the resource is no longer a playlist; and whether it still has
    ///   the tag.
    /// - Throws: as a request for the text does.
    func load(
        from origin: HTTPOrigin,
        unless tag: String? = nil
    ) async throws -> (edition: PlaylistEdition?, isUnchanged: Bool) {
        guard let reading = try await origin.readWhole(unless: tag) else { return (nil, true) }
        let text = try await PlaylistOrigin.text(of: reading, self.name)
        guard Playlist.canBegin(with: text.prefix(10)) else { return (nil, false) }
        return (try self.received(text, in: reading.resource, from: origin), false)
    }

    /// Takes a text from the origin.
    ///
    /// - Returns: the edition; `nil` for a plain M3U.
    /// - Throws: `badAnswer` for a text over a bound, or below too many playlists.
    func received(
        _ text: [UInt8],
        in resource: ResourceDescription,
        from origin: HTTPOrigin
    ) throws -> PlaylistEdition? {
        let base =
            origin.redirectedURL ?? self.parent?.feed.address(of: self.parent?.id)?.url ?? self.url
        let playlist: Playlist
        do {
            playlist = try self.scanned(text, at: base)
        } catch is NotAPlaylist {
            return nil
        }
        var tag: String?
        if case .entityTag(let own)? = resource.validator { tag = own }
        let edition = try self.edition(playlist, at: base, originTag: tag)
        self.state.withLock { $0.texts.receive(edition) }
        return edition
    }

    private func scanned(_ text: [UInt8], at base: OriginURL) throws -> Playlist {
        do throws(PlaylistError) {
            return try PlaylistScanner.scan(
                text,
                importing: self.context.variables,
                query: Self.parts(of: base.query ?? "")
            )
        } catch {
            guard error != .notHLS else { throw NotAPlaylist() }
            throw Self.unreadable(self.name, error)
        }
    }

    private func edition(
        _ playlist: Playlist,
        at base: OriginURL,
        originTag: String?
    ) throws -> PlaylistEdition {
        guard self.context.ancestors.count < PlaylistContext.mostLevels else { throw self.tooDeep }
        let now = WallClock.seconds()
        let place = self.state.withLock { $0.texts.place(for: playlist, at: now) }
        var edition = PlaylistEdition(
            playlist,
            at: base,
            originTag: originTag,
            serial: place.serial,
            version: place.version,
            of: (self.key.identifier, self.url),
            in: self.context,
            seal: self.seal
        )
        edition.since = place.since
        return edition
    }

    // MARK: The cache

    /// The mark for the stored form of an edition.
    func mark(of edition: PlaylistEdition) -> PlaylistMark {
        let now = WallClock.seconds()
        return self.state.withLock { $0.texts.mark(of: edition, at: now) }
    }

    /// Keeps a text, which replaces that of the cache, for the next reading of the cache.
    ///
    /// - Returns: the text, whose segments are other resources than those of the former one.
    @discardableResult
    func replace(with found: PlaylistEdition?) -> PlaylistEdition? {
        let now = WallClock.seconds()
        self.state.withLock { $0.texts.replace(at: now) }
        guard let found else { return nil }
        guard
            let edition = try? self.edition(
                found.playlist,
                at: found.base,
                originTag: found.originTag
            )
        else { return nil }
        self.state.withLock { state in
            state.texts.receive(edition)
            state.texts.save(edition)
        }
        return edition
    }

    /// The text of a live stream that is known already: the machine decides when it is too old.
    var liveText: PlaylistEdition? { self.state.withLock { $0.texts.live } }

    /// A complete text that the cache does not have yet.
    func takeUnsaved() -> PlaylistEdition? { self.state.withLock { $0.texts.takeUnsaved() } }

    // MARK: Times

    /// Waits for the time that the machine wants, and loads the text then.
    func schedule(_ effects: PlaylistMachine.Effects) {
        guard let time = effects.wakes, !self.state.withLock({ $0.isClosed }) else { return }
        let timeline = self.timeline
        // Owned by this feed, which cancels it; ends after one load, which schedules the next.
        let task = ClientRequest.$current.withValue(nil) {
            Task { [weak self] in
                let pause = time - timeline.elapsed()
                if pause > .zero { guard (try? await timeline.sleep(pause)) != nil else { return } }
                self?.wake()
            }
        }
        self.timer.withLock { timer in
            timer?.cancel()
            timer = task
        }
    }

    private func wake() {
        let now = self.timeline.elapsed()
        let effects = self.state.withLock { $0.machine.timePassed(at: now) }
        if effects.loads { self.startLoad(from: nil) }
        self.schedule(effects)
    }

    /// The parts of a query by name, percent-decoded.
    private static func parts(of query: String) -> [String: String] {
        var parts: [String: String] = [:]
        for part in query.split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            parts[PercentCoding.decoded(name)] = PercentCoding.decoded(
                part.dropFirst(name.count + 1)
            )
        }
        return parts
    }
}
