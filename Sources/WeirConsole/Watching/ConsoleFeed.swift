// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Weir
import WeirCache
import WeirLive
import WeirLoader
import WeirProxy
import WeirSource

/// Watches a library and its proxy while a page is open, and sends the changes to every page.
///
/// One look serves all pages. Looks take at most a twentieth of the time of one processor: the
/// longer a look takes, the longer the pause after it. While no page is open, no looks are
/// repeated.
actor ConsoleFeed {
    /// The shortest pause between two looks; pages may learn of a change this much later.
    private static let pause = Duration.milliseconds(200)
    /// How often another process that owns the cache is asked for its contents.
    private static let foreignPause = Duration.seconds(2)

    private let subject: ConsoleSubject
    private let events: ConsoleEvents
    private let counts: @Sendable () -> ConsoleState.Counts
    private let server: ConsoleState.Server
    private let timeline: Timeline
    private let lines = Broadcast<ByteMemory>(capacity: 32)

    private var sequence = 0
    private var encoded: (sequence: Int, line: ByteMemory)?
    private var table = ResourceTable()
    private var history = TrafficHistory()
    private var shown = Observation()
    /// The contents that another process, the cache's owner, has reported, and the time of the next
    /// question.
    private var foreign: (resources: [CachedResource], next: Duration) = ([], .zero)
    /// The look that is under way; all callers share it.
    private var look: Task<ConsoleChange, Never>?
    /// Repeats the looks.
    ///
    /// Owned by the feed; ends when no page is open any more.
    private var watching: Task<Void, Never>?

    /// The values that are compared as a whole.
    private struct Observation: Hashable {
        var cache = ConsoleState.Cache()
        var places: [ConsoleState.Place] = []
        var stations: [ConsoleState.Station] = []
        var readers: [ConsoleState.Reader] = []
        var fetches: [ConsoleState.Fetch] = []
        var counts = ConsoleState.Counts()
        var lastEvent = 0
    }

    init(
        _ subject: ConsoleSubject,
        server: ConsoleState.Server,
        events: ConsoleEvents,
        timeline: Timeline,
        counts: @escaping @Sendable () -> ConsoleState.Counts
    ) {
        self.subject = subject
        self.server = server
        self.events = events
        self.timeline = timeline
        self.counts = counts
    }

    deinit {
        self.watching?.cancel()
    }

    /// The current state, and then each change: lines of JSON.
    ///
    /// A page that reads too slowly misses lines, and notices the gap in their numbers.
    func stream() async -> AsyncStream<ByteMemory> {
        if self.watching == nil { _ = await self.looked() }
        let stream = self.lines.stream(startingWith: self.stateLine)
        self.watch()
        return stream
    }

    /// The current state as a line of JSON; while a page is open, the state that it received last.
    func snapshot() async -> ByteMemory {
        if self.watching == nil { _ = await self.looked() }
        return self.stateLine
    }

    /// The state as a line, made once for all callers until the state changes.
    private var stateLine: ByteMemory {
        if let encoded, encoded.sequence == self.sequence { return encoded.line }
        let line = Self.line(self.state)
        self.encoded = (self.sequence, line)
        return line
    }

    /// Whether the feed repeats its looks.
    var isWatching: Bool { self.watching != nil }

    /// The details of a resource, from the last look.
    func details(of identifier: String) -> CachedResource? {
        self.table.details(of: identifier)
    }

    private var state: ConsoleState {
        ConsoleState(
            sequence: self.sequence,
            server: self.server,
            cache: self.shown.cache,
            places: self.shown.places,
            resources: self.table.resources.withinBudget,
            stations: self.shown.stations,
            readers: self.shown.readers,
            fetches: self.shown.fetches,
            traffic: self.history.seconds,
            events: self.events.events(after: self.shown.lastEvent - ConsoleEvents.capacity)
                .filter { $0.number <= self.shown.lastEvent },
            counts: self.shown.counts
        )
    }

    private func watch() {
        guard self.watching == nil else { return }
        self.watching = Task { [weak self, timeline] in
            while !Task.isCancelled {
                let start = timeline.elapsed()
                guard await self?.tell() == true else { return }
                let pause = max(Self.pause, (timeline.elapsed() - start) * 19)
                guard (try? await timeline.sleep(pause)) != nil else { return }
            }
        }
    }

    /// Looks, and sends the changes to the pages; false if no page is open.
    private func tell() async -> Bool {
        guard self.lines.hasListeners else {
            self.watching = nil
            // A look that is under way for a snapshot still needs the table that it has compared
            // with.
            guard self.look == nil else { return false }
            self.table = ResourceTable()
            self.history = TrafficHistory()
            self.encoded = nil
            return false
        }
        _ = await self.looked()
        return true
    }

    /// Looks, or waits for the look that is under way.
    private func looked() async -> ConsoleChange {
        if let look { return await look.value }
        let look = Task { await self.lookNow() }
        self.look = look
        let change = await look.value
        self.look = nil
        return change
    }

    private func lookNow() async -> ConsoleChange {
        let isFirst = self.watching == nil
        let snapshot = self.subject.library.cacheSnapshot(of: ResourceTable.capacity)
        if snapshot == nil { await self.askOwner() }
        let difference = self.table.compare(
            snapshot?.entries ?? self.foreign.resources.compactMap(CacheSnapshot.Entry.init),
            limit: isFirst ? .max : ResourceTable.changeLimit,
            lookingUpPieces: snapshot != nil
        )
        let found =
            snapshot == nil
            ? (details: self.foreign.resources, pieces: [:])
            : await self.lookUp(difference, knowing: self.table.lengths(of: difference))
        let responses = await self.subject.responses()
        let fetches = await self.subject.library.fetchActivities()
        // No suspension follows: a page that opens sees all changes of this look, or none.
        let now = self.observation(snapshot, responses, fetches)
        let resources = self.table.apply(difference, details: found.details, pieces: found.pieces)
        return self.tell(now, resources)
    }

    /// The current values of the observation.
    private func observation(
        _ snapshot: CacheSnapshot?,
        _ responses: [ActiveResponse],
        _ fetches: [String: [FetchActivity]]
    ) -> Observation {
        var now = Observation()
        now.cache = self.cache(snapshot)
        now.places = self.subject.places()
        now.stations = self.subject.stations().map(ConsoleState.Station.init)
        now.readers = responses.map { ConsoleState.Reader($0, self.subject.identify($0.source)) }
        now.fetches = fetches.flatMap { id, list in
            list.map { ConsoleState.Fetch($0, of: id) }
        }.sorted { ($0.resource, $0.at ?? 0) < ($1.resource, $1.at ?? 0) }
        now.counts = self.counts()
        now.counts.reconnects = now.stations.reduce(0) { $0 + Int64($1.reconnects) }
        // A request is counted when it ends; the bytes that running requests have sent are added.
        now.counts.served += responses.reduce(into: Int64(0)) { $0 += $1.sentByteCount }
        now.lastEvent = self.shown.lastEvent
        return now
    }

    /// Sends the changes since the last look to the pages, with the bytes of each second.
    private func tell(
        _ seen: Observation,
        _ resources: (changed: [ConsoleState.Resource], removed: [String])
    ) -> ConsoleChange {
        var now = seen
        let events = self.events.events(after: self.shown.lastEvent)
        now.lastEvent = events.last?.number ?? now.lastEvent
        let time = self.timeline.elapsed()
        let traffic = self.history.note([now.counts.origin, now.counts.served], at: time)
        var change = ConsoleChange(sequence: self.sequence + 1)
        if now.cache != self.shown.cache { change.cache = now.cache }
        if now.places != self.shown.places { change.places = now.places }
        if !resources.changed.isEmpty { change.resources = resources.changed }
        if !resources.removed.isEmpty { change.removed = resources.removed }
        if now.stations != self.shown.stations { change.stations = now.stations }
        if now.readers != self.shown.readers { change.readers = now.readers }
        if now.fetches != self.shown.fetches { change.fetches = now.fetches }
        if now.counts != self.shown.counts { change.counts = now.counts }
        if !traffic.isEmpty { change.traffic = traffic }
        if !events.isEmpty { change.events = events }
        self.shown = now
        guard !change.isEmpty else { return change }
        self.sequence += 1
        if self.lines.hasListeners { self.lines.tell(Self.line(change)) }
        return change
    }

    /// Asks the process that owns the cache for its contents.
    ///
    /// If no process owns the cache any more, this one becomes its owner.
    private func askOwner() async {
        let now = self.timeline.elapsed()
        guard now >= self.foreign.next else { return }
        self.foreign.next = now + Self.foreignPause
        guard let resources = try? await self.subject.library.resources() else { return }
        self.foreign.resources = Array(resources.prefix(ResourceTable.capacity))
    }

    /// Looks up values that only the disk has, on a thread that may wait for the disk.
    ///
    /// No journal is read for a resource that is in memory, or held whole.
    private func lookUp(
        _ difference: ResourceTable.Difference,
        knowing known: [ResourceID: Int64]
    ) async -> (details: [CachedResource], pieces: [ResourceID: CachedPieces]) {
        guard !difference.changed.isEmpty else { return ([], [:]) }
        let library = self.subject.library
        return await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                let details = (try? library.resources(difference.unknown)) ?? []
                var lengths = known
                for detail in details {
                    if let id = ResourceID(detail.identifier) { lengths[id] = detail.length }
                }
                var pieces: [ResourceID: CachedPieces] = [:]
                var journalCount = 0
                for entry in difference.changed {
                    if entry.revision == 0, let length = lengths[entry.id],
                        length == entry.heldByteCount
                    {
                        pieces[entry.id] = .whole(length)
                        continue
                    }
                    if entry.revision == 0 {
                        guard journalCount < ResourceTable.journalLimit else { continue }
                        journalCount += 1
                    }
                    // Unreadable pieces count as empty, so that the feed does not look them up
                    // repeatedly.
                    pieces[entry.id] = library.pieces(of: entry.id) ?? .empty
                }
                continuation.resume(returning: (details, pieces))
            }
        }
    }

    private func cache(_ snapshot: CacheSnapshot?) -> ConsoleState.Cache {
        var cache = ConsoleState.Cache()
        cache.trouble = self.subject.trouble()
        guard let snapshot else {
            cache.trouble =
                cache.trouble
                ?? "Another weir process owns the cache: the page shows only the sizes of its resources, not its"
                + " limits."
            cache.resources = self.foreign.resources.count
            cache.bytes = self.foreign.resources.reduce(0) { $0.addingClamped($1.heldByteCount) }
            return cache
        }
        cache.bytes = snapshot.heldByteCount
        cache.resources = snapshot.resourceCount
        // The free space changes with every write of any program, so it is shown in whole
        // mebibytes.
        cache.free = snapshot.freeBytes.map { ($0 >> 20) << 20 }
        cache.limits.bytes = snapshot.limits.byteCount
        cache.limits.resources = snapshot.limits.resourceCount
        cache.limits.age = snapshot.limits.age?.components.seconds
        cache.limits.reserve = snapshot.limits.reserve
        if let free = snapshot.freeBytes, let reserve = snapshot.limits.reserve, free < reserve {
            cache.trouble =
                cache.trouble
                ?? "The disk has less free space than cache-reserve, so the cache keeps only pinned and open resources;"
                + " free some space, or lower cache-reserve."
        }
        return cache
    }

    /// A line of JSON.
    static func line(_ value: some Encodable) -> ByteMemory {
        ByteMemory(Self.json(value) + [UInt8(ascii: "\n")])
    }

    /// A value as JSON.
    static func json(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only text, numbers and truth values are encoded, so this does not fail.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }
}

extension ConsoleState.Station {
    fileprivate init(_ shown: ShownStation) {
        let figures = shown.station.figures
        let state =
            switch figures.status.phase {
            case .idle: "idle"
            case .connecting: "connecting"
            case .live: "live"
            case .waiting: "waiting"
            case .ended: "ended"
            }
        self.init(
            name: shown.name,
            state: state,
            reason: figures.status.reason?.message,
            title: figures.title,
            type: figures.status.info?.mediaType,
            buffered: figures.buffered.components.seconds,
            timeShift: figures.timeShift.components.seconds,
            listeners: figures.listenerCount,
            reconnects: figures.status.reconnects,
            url: shown.path
        )
    }
}

extension ConsoleState.Reader {
    fileprivate init(_ response: ActiveResponse, _ subject: ConsoleSubject.Identity) {
        let start = response.body.lowerBound
        self.init(
            resource: subject.resource,
            station: subject.station,
            from: start,
            at: start + response.sentByteCount,
            to: response.body.isEmpty ? nil : response.body.upperBound
        )
    }
}

extension ConsoleState.Fetch {
    fileprivate init(_ activity: FetchActivity, of identifier: String) {
        self.init(
            resource: identifier,
            at: activity.position,
            to: activity.end,
            state: activity.state.rawValue,
            reason: activity.reason.rawValue
        )
    }
}
