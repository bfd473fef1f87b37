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
    fileprivate struct Answer {
        let serial: Int
        let name: String
        let query: String
        let text: [UInt8]
        let description: ResourceDescription
    }

    /// The state behind the lock.
    struct State {
        var machine: PlaylistMachine
        /// Whether the medium is known to be a playlist.
        var isPlaylist = false
        var texts = PlaylistTexts()
        /// The number of the last text that the processes of the cache folder share.
        var sharedNumber: UInt64 = 0
        /// The error of the last load; `nil` if it brought a text.
        var failure: (any Error)?
        /// The last answer, for the next player that asks under the same name.
        fileprivate var answer: Answer?
        /// The playlists that this one names, kept with their state.
        var children: [String: Media] = [:]
        var isClosed = false

        init(_ machine: PlaylistMachine) {
            self.machine = machine
        }
    }

    /// The address of the medium.
    let url: OriginURL
    let key: ResourceKey
    let context: PlaylistContext
    let seal: PlaylistSeal
    /// The playlist that names this one; `nil` for the root.
    let parent: (feed: PlaylistFeed, id: PlaylistItemID)?
    /// The cache folder, whose processes load texts that change together.
    let access: CacheAccess
    /// The origin for texts that change; `nil` while the library is offline.
    let origin: Mutex<HTTPOrigin?> = Mutex(nil)
    let timeline: Timeline
    let makeItem: @Sendable (PlaylistEdition.Item, PlaylistFeed, PlaylistEdition) -> Media?
    let state: Mutex<State>
    /// Raised at the end of each load.
    let loadEnded = Signal()
    let reloads = Shared<Int>()
    /// The running load.
    let loading = Mutex<Task<Void, Never>?>(nil)
    let timer = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - url: the address of the medium.
    ///   - key: the key of the medium.
    ///   - context: the settings of the items.
    ///   - parent: the playlist that names the medium, if one does.
    ///   - seal: seals the identities of the items.
    ///   - access: the cache folder.
    ///   - clock: measures the time between two loads.
    ///   - makeItem: makes the medium of an item; `nil` once the library is gone.
    init(
        _ url: OriginURL,
        key: ResourceKey,
        context: PlaylistContext,
        parent: (feed: PlaylistFeed, id: PlaylistItemID)? = nil,
        seal: PlaylistSeal,
        access: CacheAccess,
        clock: any Clock<Duration>,
        makeItem:
            @escaping @Sendable (PlaylistEdition.Item, PlaylistFeed, PlaylistEdition) -> Media?
    ) {
        self.url = url
        self.key = key
        self.context = context
        self.parent = parent
        self.seal = seal
        self.access = access
        self.timeline = Timeline(clock)
        self.makeItem = makeItem
        let freshness: Duration? =
            switch context.load.revalidation {
            case .always: .zero
            case .after(let time): time
            case .never: nil
            }
        self.state = Mutex(State(PlaylistMachine(freshness: freshness)))
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
        self.loading.withLock { $0?.cancel() }
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
    func begin(_ mark: PlaylistMark, _ text: [UInt8]?) throws -> PlaylistEdition? {
        let isFirst = self.state.withLock { state in
            state.isPlaylist = true
            return state.texts.current == nil
        }
        guard isFirst else { return nil }
        var edition: PlaylistEdition?
        if mark == .live {
            edition = self.state.withLock { $0.texts.live }
        } else if let text {
            edition = try self.stored(text, mark)
        }
        guard let edition else { return nil }
        let now = self.timeline.elapsed()
        self.schedule(
            self.state.withLock { state in
                guard state.texts.current == nil else { return .none }
                _ = state.machine.requested(at: now)
                return self.note(edition, at: now, in: &state)
            }
        )
        return edition
    }
}
