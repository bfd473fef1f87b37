// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirClouds
import WeirHLS
import WeirHTTP
import WeirSharing
import WeirSource

/// Gives players the text of an HLS playlist, if a medium turns out to be one, and finds the items below it.
///
/// The text of a complete playlist comes from the cache, where the origin confirms it like any other bytes. A text that
/// changes is polled for all viewers together, as ``/WeirHLS/PlaylistMachine`` decides; the cache never gives it. The
/// addresses that are good now are in memory only.
final class PlaylistFeed: Sendable {
    /// A text for players.
    private struct Answer {
        let serial: Int
        let name: String
        let query: String
        let text: [UInt8]
        let description: ResourceDescription
    }

    private struct State {
        var machine: PlaylistMachine
        /// Whether the medium is known to be a playlist.
        var isPlaylist = false
        var edition: PlaylistEdition?
        /// The last text that came from the origin, until it becomes the edition.
        var received: PlaylistEdition?
        var lastSerial = 0
        /// The error of the last load; `nil` if it brought a text.
        var failure: (any Error)?
        /// A complete text that came from the origin, until the cache has it.
        var unsaved: PlaylistEdition?
        /// When the origin replaced the text that the cache held, in seconds since 1970.
        var replacedSince: Int64?
        /// The version of the segments of a complete text.
        var version = ""
        /// How often the numbers of a live stream began again.
        var restarts = 0
        /// The last texts before the current one: a player may still ask for their items
        /// (RFC 8216 §6.2.2).
        var former: [PlaylistEdition] = []
        /// Since when a growing playlist has begun with the same items, in seconds since 1970.
        var growingSince: Int64?
        /// The last answer, for the next player that asks under the same name.
        var answer: Answer?
        /// The playlists that this one names, kept with their state.
        var children: [String: Media] = [:]
        var isClosed = false
    }

    /// How many former texts are kept.
    private static let formerCount = 3

    /// The address of the medium.
    let url: OriginURL
    let key: ResourceKey
    let context: PlaylistContext
    private let seal: PlaylistSeal
    /// The playlist that names this one; `nil` for the root.
    private let parent: (feed: PlaylistFeed, id: PlaylistItemID)?
    /// The origin for texts that change; `nil` while the library is offline.
    private let origin: Mutex<HTTPOrigin?> = Mutex(nil)
    private let timeline: Timeline
    /// The time, in seconds since 1970.
    private let now: @Sendable () -> Int64 = WallClock.seconds
    private let makeItem: @Sendable (PlaylistEdition.Item, PlaylistFeed, PlaylistEdition) -> Media?
    private let state: Mutex<State>
    /// Raised at the end of each load.
    private let loadEnded = Signal()
    private let reloads = Shared<Int>()
    private let timer = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - url: the address of the medium.
    ///   - key: the key of the medium.
    ///   - context: the settings of the items.
    ///   - parent: the playlist that names the medium, if one does.
    ///   - seal: seals the identities of the items.
    ///   - clock: measures the time between two loads.
    ///   - makeItem: makes the medium of an item; `nil` once the library is gone.
    init(
        _ url: OriginURL,
        key: ResourceKey,
        context: PlaylistContext,
        parent: (feed: PlaylistFeed, id: PlaylistItemID)? = nil,
        seal: PlaylistSeal,
        clock: any Clock<Duration> = ContinuousClock(),
        makeItem:
            @escaping @Sendable (PlaylistEdition.Item, PlaylistFeed, PlaylistEdition) -> Media?
    ) {
        self.url = url
        self.key = key
        self.context = context
        self.parent = parent
        self.seal = seal
        self.timeline = Timeline(clock)
        self.makeItem = makeItem
        let freshness: Duration? =
            switch context.load.revalidation {
            case .always: .zero
            case .after(let time): time
            case .never: nil
            }
        self.state = Mutex(State(machine: PlaylistMachine(freshness: freshness)))
    }

    deinit {
        self.timer.withLock { $0?.cancel() }
    }

    /// Sets the origin for texts that change.
    func use(_ origin: HTTPOrigin) { self.origin.withLock { $0 = origin } }

    /// Whether the medium is known to be a playlist.
    var isPlaylist: Bool { self.state.withLock { $0.isPlaylist } }

    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.children = [:]
        }
        self.timer.withLock { $0?.cancel() }
    }

    // MARK: Readers

    /// Reads the medium: its own bytes or, if it is a playlist, the text for players.
    ///
    /// - Parameters:
    ///   - demand: the bytes to read.
    ///   - source: the medium's bytes, as the cache holds them.
    /// - Returns: the reading.
    /// - Throws: as the source does; `badAnswer` for a playlist over a bound, `throttled` while the
    ///   origin of a live stream is away for too long.
    func read(_ demand: ReadDemand, of source: any ByteSource) async throws -> ByteReading {
        var edition: PlaylistEdition?
        if !self.isPlaylist {
            let reading = try await source.read(demand)
            guard let mark = PlaylistMark(reading.resource) else { return reading }
            let isWhole =
                reading.lowerBound == 0 && reading.upperBound == reading.resource.length
            let text = isWhole ? try await PlaylistOrigin.text(of: reading, self.name) : nil
            edition = try self.begin(mark, text)
        }
        if edition == nil { edition = try await self.current(from: source) }
        guard let edition else {
            let reading = try await source.read(demand)
            guard !reading.resource.isStoredForm else { throw Self.replaced(self.name) }
            return reading
        }
        let (text, description) = self.answer(with: edition)
        return try PlaylistOrigin.reading(text, demand, described: description)
    }

    /// Describes the medium, as ``read(_:of:)`` does.
    func describe(_ source: any ByteSource) async throws -> ResourceDescription {
        if !self.isPlaylist {
            let description = try await source.describe()
            guard let mark = PlaylistMark(description) else { return description }
            try self.begin(mark, nil)
        }
        guard let edition = try await self.current(from: source) else {
            return try await source.describe()
        }
        return self.answer(with: edition).description
    }

    /// The text for the player that asks, and its description.
    private func answer(
        with edition: PlaylistEdition
    ) -> (text: [UInt8], description: ResourceDescription) {
        let target = ClientRequest.current?.target ?? self.url.path
        let path = target.prefix { $0 != "?" }
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            path[path.utf8.index(after: $0)...]
        }
        let ownQuery = target[path.endIndex...]
        let query = PlaylistSignature.query(
            ownQuery,
            without: self.context.volatileNames(of: self.url)
                .union(PlaylistSignature.names(in: String(ownQuery.dropFirst())))
        )
        let last = self.state.withLock { $0.answer }
        if let last, last.serial == edition.serial, last.name == name ?? "", last.query == query {
            return (last.text, last.description)
        }
        let text = edition.text(below: name ?? "", query: query)
        var description = ResourceDescription(
            length: Int64(text.count),
            mediaType: .hlsPlaylist,
            name: self.url.fileName,
            acceptsRanges: true
        )
        if edition.playlist.life == .complete {
            let digest = PlaylistEdition.digest(of: text)
            description.validator = .entityTag("\"\(digest.prefix(32))\"")
        }
        let answer = Answer(
            serial: edition.serial,
            name: String(name ?? ""),
            query: query,
            text: text,
            description: description
        )
        self.state.withLock { $0.answer = answer }
        return (text, description)
    }

    /// Notes that the medium is a playlist, and takes its first text.
    ///
    /// The reading that showed what the medium is counts as the first load.
    ///
    /// - Parameters:
    ///   - mark: the mark of the medium.
    ///   - text: the whole stored text; `nil` if only a part of it was read.
    /// - Returns: the text, if it is known now.
    /// - Throws: `badAnswer` for a text over a bound.
    @discardableResult
    private func begin(_ mark: PlaylistMark, _ text: [UInt8]?) throws -> PlaylistEdition? {
        let isFirst = self.state.withLock { state in
            state.isPlaylist = true
            return state.edition == nil
        }
        guard isFirst else { return nil }
        var edition: PlaylistEdition?
        if mark == .live {
            edition = self.state.withLock { $0.received }
        } else if let text {
            edition = try self.stored(text, mark)
        }
        guard let edition else { return nil }
        let now = self.timeline.elapsed()
        self.schedule(
            self.state.withLock { state in
                guard state.edition == nil else { return .none }
                _ = state.machine.requested(at: now)
                return self.note(edition, at: now, in: &state)
            }
        )
        return edition
    }

    // MARK: The current text

    /// The text to give; `nil` if the medium is no longer a playlist.
    private func current(from source: any ByteSource) async throws -> PlaylistEdition? {
        guard !self.state.withLock({ $0.isClosed }) else { throw SharedSource.closedError }
        let now = self.timeline.elapsed()
        let (effects, edition, count, isUnsaved) = self.state.withLock { state in
            (
                state.machine.requested(at: now), state.edition, self.loadEnded.count,
                state.unsaved != nil
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
        // Owned by this feed, whose origin bounds its time; ends with the load. All viewers wait for it,
        // so it is no request of the one that came first.
        ClientRequest.$current.withValue(nil) {
            _ = Task { _ = try? await self.load(source) }
        }
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
        let (signal, timeline) = (self.loadEnded, self.timeline)
        let isInTime = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try await signal.wait(after: count)
                return true
            }
            if let patience {
                group.addTask {
                    try await timeline.sleep(patience)
                    return false
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        let now = timeline.elapsed()
        let (reply, edition, failure) = self.state.withLock { state in
            (state.machine.reply(withoutLoadAt: now), state.edition, state.failure)
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
        let before = self.state.withLock { $0.edition }
        defer { self.loadEnded.raise() }
        do {
            let edition: PlaylistEdition
            if let source, before?.playlist.life ?? .complete == .complete {
                edition = try await self.loadStored(source)
            } else {
                edition = try await self.loadDirectly(unless: before)
            }
            let now = self.timeline.elapsed()
            self.schedule(
                self.state.withLock { state in
                    let wasChanging = before.map { $0.playlist.life != .complete } ?? false
                    if wasChanging, edition.playlist.life == .complete { state.unsaved = edition }
                    return self.note(edition, at: now, in: &state)
                }
            )
            return edition
        } catch {
            let now = self.timeline.elapsed()
            self.schedule(
                self.state.withLock { state in
                    if error is NotAPlaylist {
                        (state.isPlaylist, state.edition, state.received) = (false, nil, nil)
                    }
                    state.failure = error
                    return state.machine.failed(at: now)
                }
            )
            throw error
        }
    }

    /// Takes a text as the current one.
    @discardableResult
    private func note(
        _ edition: PlaylistEdition,
        at now: Duration,
        in state: inout State
    ) -> PlaylistMachine.Effects {
        let isChanged = edition.digest != state.edition?.digest
        if isChanged, let former = state.edition, former.playlist.life == .live {
            state.former = Array((state.former + [former]).suffix(Self.formerCount))
        }
        state.edition = edition
        if state.received?.serial == edition.serial { state.received = nil }
        state.failure = nil
        let named = Set(edition.items.keys.map(\.identifier))
        state.children = state.children.filter { named.contains($0.key) }
        return state.machine.loaded(
            PlaylistMachine.Loaded(
                life: edition.playlist.life,
                targetDuration: .seconds(min(edition.playlist.targetDuration ?? 10, 3600)),
                isChanged: isChanged
            ),
            at: now
        )
    }

    /// Reads the stored text, which the origin confirms if the policy wants that.
    private func loadStored(_ source: any ByteSource) async throws -> PlaylistEdition {
        let reading = try await source.read(.whole)
        guard let mark = PlaylistMark(reading.resource) else { throw NotAPlaylist() }
        // The text of a live stream on disk says nothing about the stream now.
        guard mark != .live else {
            if let received = self.state.withLock({ $0.received.take() }) { return received }
            return try await self.loadDirectly(unless: nil)
        }
        return try self.stored(try await PlaylistOrigin.text(of: reading, self.name), mark)
    }

    /// The edition of a stored text, with the addresses that are good now if they are known.
    private func stored(_ text: [UInt8], _ mark: PlaylistMark) throws -> PlaylistEdition {
        guard case .complete(let known) = mark else { throw NotAPlaylist() }
        let found = self.state.withLock { state in
            state.version = known.version
            return [state.received, state.edition].compactMap(\.self).first {
                $0.digest == known.digest && $0.version == known.version
            }
        }
        var edition: PlaylistEdition
        if let found {
            edition = found
        } else {
            let base = PlaylistEdition.base(ofStored: text) ?? self.url
            edition = self.edition(try self.scanned(text, at: base), at: base, originTag: nil)
        }
        edition.since = known.since
        return edition
    }

    /// Requests the text from the origin.
    private func loadDirectly(unless known: PlaylistEdition?) async throws -> PlaylistEdition {
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
        self.state.withLock { $0.received = nil }
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
        guard self.context.ancestors.count < PlaylistContext.mostLevels else { throw self.tooDeep }
        var tag: String?
        if case .entityTag(let own)? = resource.validator { tag = own }
        let edition = self.edition(playlist, at: base, originTag: tag)
        self.state.withLock { $0.received = edition }
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
    ) -> PlaylistEdition {
        let (serial, version, since) = self.state.withLock { state in
            state.lastSerial += 1
            self.noteStart(of: playlist, in: &state)
            let restarts = state.restarts > 0 ? "restart \(state.restarts)" : ""
            let version = playlist.life == .complete ? state.version : restarts
            return (state.lastSerial, version, state.growingSince)
        }
        var edition = PlaylistEdition(
            playlist,
            at: base,
            originTag: originTag,
            serial: serial,
            version: version,
            of: (self.key.identifier, self.url),
            in: self.context,
            seal: self.seal
        )
        if playlist.life == .growing { edition.since = since }
        return edition
    }

    /// Notes whether a text that changes is that of another broadcast than the last one.
    private func noteStart(of playlist: Playlist, in state: inout State) {
        let last = state.edition?.playlist
        switch playlist.life {
        case .complete: break
        case .live:
            if let last, last.life == .live, playlist.mediaSequence < last.mediaSequence {
                state.restarts += 1
            }
        case .growing:
            if let last, last.life == .growing, state.growingSince != nil,
                playlist.references.count >= last.references.count,
                zip(last.references, playlist.references).allSatisfy({ $0.uri == $1.uri })
            {
                return
            }
            // Bytes of the same second may be those of the former broadcast.
            state.growingSince = self.now() + (last == nil ? 0 : 1)
        }
    }

    /// The mark for the stored form of an edition.
    func mark(of edition: PlaylistEdition) -> PlaylistMark {
        guard edition.playlist.life == .complete else { return .live }
        // A playlist that grew until its end had the same items all the time.
        let (growing, replaced) = self.state.withLock { ($0.growingSince, $0.replacedSince) }
        return .complete(
            PlaylistMark.Text(
                digest: edition.digest,
                since: replaced ?? growing ?? self.now(),
                isReplacement: replaced != nil,
                tag: edition.originTag
            )
        )
    }

    /// Keeps a text, which replaces that of the cache, for the next reading of the cache.
    ///
    /// - Returns: the text, whose segments are other resources than those of the former one.
    @discardableResult
    func replace(with found: PlaylistEdition?) -> PlaylistEdition? {
        // Bytes of the same second may be those of the former text.
        let time = self.now() + 1
        self.state.withLock { ($0.replacedSince, $0.version) = (time, "\(time)") }
        guard let found else { return nil }
        let edition = self.edition(found.playlist, at: found.base, originTag: found.originTag)
        self.state.withLock { ($0.received, $0.unsaved) = (edition, edition) }
        return edition
    }

    /// The text of a live stream that is known already: the machine decides when it is too old.
    var liveText: PlaylistEdition? {
        self.state.withLock { state in
            (state.edition ?? state.received).flatMap { $0.playlist.life == .complete ? nil : $0 }
        }
    }

    /// A complete text that the cache does not have yet.
    func takeUnsaved() -> PlaylistEdition? { self.state.withLock { $0.unsaved.take() } }

    // MARK: Times

    /// Waits for the time that the machine wants, and loads the text then.
    private func schedule(_ effects: PlaylistMachine.Effects) {
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

    // MARK: Items

    /// The identities behind the sealed texts of nested levels, and the identifier of the outermost playlist.
    ///
    /// - Returns: `nil` unless a process with this cache has sealed each of them for the level above it.
    func items(behind texts: [Substring]) -> (list: String, ids: [PlaylistItemID])? {
        guard let first = texts.first, let list = PlaylistSeal.list(of: first) else { return nil }
        var ids: [PlaylistItemID] = []
        for text in texts {
            let above = ids.last?.identifier ?? list
            guard let id = self.seal.item(text, in: above) else { return nil }
            ids.append(id)
        }
        return (list, ids)
    }

    /// Whether another medium is at the same address, except for the query, in the same part of the cache.
    func isAtSamePlace(as other: PlaylistFeed) -> Bool {
        self.url.isSameOrigin(as: other.url) && self.url.path == other.url.path
            && self.context.scope == other.context.scope
    }

    /// Whether the user named the playlist, and no other playlist did.
    var isRoot: Bool { self.parent == nil }

    /// The medium of an item, if it is known without a load.
    func known(_ id: PlaylistItemID) -> Media? {
        let (current, former) = self.state.withLock { ($0.edition, $0.former) }
        for edition in [current] + former.reversed() {
            if let edition, let item = edition.items[id] { return self.medium(of: item, edition) }
        }
        return nil
    }

    /// The medium of an item; loads the text if it is not known yet.
    ///
    /// - Throws: `notFound` if the playlist does not name the item, or no longer does.
    func media(of id: PlaylistItemID, _ source: any ByteSource) async throws -> Media {
        if let known = self.known(id) { return known }
        if !self.isPlaylist {
            let description = try await source.describe()
            guard let mark = PlaylistMark(description) else { throw self.notNamed }
            try self.begin(mark, nil)
        }
        guard let edition = try await self.current(from: source), let item = edition.items[id],
            let media = self.medium(of: item, edition)
        else { throw self.notNamed }
        return media
    }

    private func medium(of item: PlaylistEdition.Item, _ edition: PlaylistEdition) -> Media? {
        if let child = self.state.withLock({ $0.children[item.id.identifier] }) { return child }
        guard let media = self.makeItem(item, self, edition) else { return nil }
        guard item.role.isPlaylist else { return media }
        return self.state.withLock { state in
            guard !state.isClosed else { return media }
            if let child = state.children[item.id.identifier] { return child }
            state.children[item.id.identifier] = media
            return media
        }
    }

    /// The current text.
    var edition: PlaylistEdition? { self.state.withLock { $0.edition } }

    /// The address of an item, and the number of the text that it comes from.
    func address(of id: PlaylistItemID?) -> (url: OriginURL, serial: Int)? {
        guard let id, let edition = self.edition, let item = edition.items[id] else { return nil }
        return (item.url, edition.serial)
    }

    /// The end of the part of this item that a position is in, by the playlist that names the item.
    func partEnd(at position: Int64) -> Int64? {
        guard let parent else { return nil }
        return parent.feed.state.withLock { state in
            state.edition?.parts[parent.id]?.first { $0.contains(position) }?.upperBound
        }
    }

    /// Reloads the text after an address of it was refused, unless a newer text is known already.
    ///
    /// One reload serves all items that were refused at the same time.
    ///
    /// - Parameters:
    ///   - serial: the number of the text whose address was refused.
    ///   - alsoParent: whether the parent is reloaded first, since a reload of this playlist did not
    ///     help.
    /// - Throws: as a request for the text does.
    func refresh(after serial: Int, alsoParent: Bool) async throws {
        if alsoParent, let parent = self.parent, let known = parent.feed.address(of: parent.id) {
            try await parent.feed.refresh(after: known.serial, alsoParent: false)
        }
        _ = try await self.reloads.value(
            isGood: { $0 > serial },
            make: { try await self.reload() }
        )
    }

    /// Requests the text, and returns its number.
    private func reload() async throws -> Int {
        var edition = try await self.loadDirectly(unless: nil)
        let last = self.edition
        if let last, last.playlist.life == .complete, edition.playlist.life == .complete {
            if last.digest == edition.digest {
                edition.since = last.since
            } else if let other = self.replace(with: edition) {
                edition = other
            }
        }
        let now = self.timeline.elapsed()
        self.schedule(
            self.state.withLock { [edition] state in
                guard edition.playlist.life == .complete, state.edition != nil else {
                    return self.note(edition, at: now, in: &state)
                }
                if let last, last.digest != edition.digest {
                    state.former = Array((state.former + [last]).suffix(Self.formerCount))
                }
                state.edition = edition
                return .none
            }
        )
        return edition.serial
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
