// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides what to fetch, when, and for which reader, for one generation of one resource.
///
/// Events (past tense) go in; effects (imperative) come out. The plan has no clock, no task and no
/// I/O. Its rules, each a law of the architecture:
///
/// - A demand joins a running fetch that will bring its next missing byte within `reach`. Otherwise
///   a new fetch is opened at that byte. It requests only the hole, so that no byte is fetched
///   twice.
/// - Demands that wait for adjacent bytes share one request.
/// - The newest demand is served first. It takes the rest of a hole over from an older claim, which
///   then ends where the new one starts.
/// - When the maximum number of fetches is reached, a demand waits for the next place. The newest
///   and the oldest demand get places in turn. A fetch for a range up to the read-ahead keeps its
///   place to its end. A fetch for a longer range gives way to a newer demand, once it has brought
///   ``reach`` bytes.
/// - A fetch runs at most `readAhead` beyond its foremost reader, unless the whole resource is to
///   be kept.
/// - A fetch without a demand stops at once, lingers, and is closed, unless the policy keeps more
///   bytes. It is closed at once when another fetch wants the line. If its next bytes are within a
///   reader's read-ahead, it waits for that reader.
/// - A background download is served when no reader wants bytes, and uses the rest of the line.
/// - An origin without ranges is read forward in one request. When little of it is left, this
///   request goes on even without a reader. Otherwise the origin would have to send all earlier
///   bytes again.
/// - Without a validator, a request that does not start beside held bytes waits. First some held
///   bytes must be fetched again and prove equal.
///
/// Until the first response has described the resource, there is only one fetch, and every other
/// demand waits for the head of its response. So sixteen readers of an unknown resource cause one
/// request.
struct FetchPlan: ~Copyable {
    let policy: LoadPolicy
    /// Whether a response, or the cache, has described the resource.
    var isDescribed = false
    /// Its length in bytes, once known.
    var length: Int64?
    /// The readable bytes.
    var held = RangeSet<Int64>()
    /// How many bytes to read again and compare where a hole meets a run, on either side.
    var overlap: Int64 = 0
    /// The readers, the newest last.
    var demands: [Demand] = []
    /// The running requests, in the order in which they were sent.
    var fetches: [Fetch] = []
    /// Whether the origin ignores ranges, and sends the whole resource.
    var ignoresRanges = false
    /// Whether holes are filled without a reader; off between a failure and the next reader.
    var mayFill = true
    /// Whether the next free place is for the oldest waiting demand.
    var oldestIsNext = false
    /// The greatest distance from a running fetch to a missing byte at which a reader waits for the
    /// fetch.
    ///
    /// Once measured, it is the number of bytes that a request brings while another request waits
    /// for its first byte. It is at least 16 KiB, and at most the policy's `reach`, if that is
    /// larger than 16 KiB.
    var reach: Int64
    /// The number of the newest fetch.
    var lastFetch: Int

    /// Creates an empty plan.
    ///
    /// - Parameters:
    ///   - policy: the limits.
    ///   - lastFetch: the number of the previous plan's last request, if any. Late reports of that
    ///     request must not be mistaken for reports of a request of this plan.
    init(policy: LoadPolicy, lastFetch: Int = 0) {
        self.policy = policy
        self.reach = policy.reach
        self.lastFetch = lastFetch
    }

    // MARK: Events

    /// The cache holds a generation of this resource already.
    mutating func adopted(held: RangeSet<Int64>, length: Int64?, overlap: Int64) {
        self.held = held
        self.overlap = overlap
        self.described(length: length)
    }

    /// A reader arrived.
    ///
    /// Newer demands are served first; background demands come after all others.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - range: the requested range.
    ///   - isBackground: whether the reader fetches only to keep the bytes; every reader that plays
    ///     then comes first.
    /// - Returns: the effects.
    mutating func demanded(_ id: DemandID, _ range: RequestedRange, isBackground: Bool = false)
        -> [Effect]
    {
        self.mayFill = true
        var demand = Demand(id: id, request: range, length: self.length)
        demand.isBackground = isBackground
        self.demands.append(demand)
        return self.replanned()
    }

    /// A reader has taken all bytes before a position.
    ///
    /// These bytes have been written, although their fetch may not have reported that yet. Readers
    /// follow the writer, and reports of arrivals may follow the readers.
    mutating func advanced(_ id: DemandID, to position: Int64) -> [Effect] {
        guard let index = self.demands.firstIndex(where: { $0.id == id }) else { return [] }
        guard self.demands[index].position != position else { return [] }
        let former = self.demands[index].position ?? position
        self.demands[index].position = position
        self.demands[index].hasBegun = true
        let overtaken = self.fetches.filter { fetch in
            fetch.position.map { former <= $0 && $0 < position } ?? false
        }
        guard !overtaken.isEmpty else { return self.replanned() }
        return overtaken.flatMap {
            self.arrived($0.id, upTo: min(position, $0.end ?? .max))
        }
    }

    /// A reader has left, with or without all its bytes.
    mutating func departed(_ id: DemandID) -> [Effect] {
        guard let index = self.demands.firstIndex(where: { $0.id == id }) else { return [] }
        self.demands.remove(at: index)
        return self.replanned()
    }

    /// The head of a response arrived: its bytes will start at `offset`.
    ///
    /// `coversWhole`: the bytes will go on to the end of the resource, whatever was requested.
    mutating func opened(
        _ id: FetchID,
        at offset: Int64,
        length: Int64?,
        ignoresRanges: Bool,
        coversWhole: Bool = false,
        overlap: Int64
    ) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else {
            return [.close(id)]
        }
        self.ignoresRanges = self.ignoresRanges || ignoresRanges
        self.overlap = overlap
        if coversWhole, let whole = self.wholeBody(beside: id) {
            // Another body already brings these bytes: this request was sent before the origin was
            // known to ignore ranges.
            self.fetches[whole].end = self.fetches[whole].requestedEnd
            self.fetches.removeAll { $0.id == id }
            return [.close(id)] + self.replanned()
        }
        self.fetches[index].position = offset
        self.fetches[index].isAnswered = true
        if coversWhole {
            self.fetches[index].end = length ?? self.length
            self.fetches[index].requestedEnd = length ?? self.length
        }
        self.described(length: length)
        let wasLingering = self.fetches[index].state == .lingering
        let effects = self.replanned()
        let isLingering = self.fetches.first { $0.id == id }?.state == .lingering
        // Linger again: only now does the request have a connection to release, and only now is it
        // known whether the origin ignores ranges.
        return (wasLingering && isLingering ? [.linger(id)] : []) + effects
    }

    /// The line was measured: the first byte took `latency` seconds, and then `rate` bytes came
    /// each second.
    mutating func measured(latency: Double, rate: Double) {
        let bytes = latency * rate
        guard bytes.isFinite else { return }
        let least: Int64 = 16_384
        self.reach = min(max(Int64(nearest: bytes), least), max(self.policy.reach, least))
    }

    /// Bytes up to `offset` have been written and can be read.
    mutating func arrived(_ id: FetchID, upTo offset: Int64) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else {
            return [.close(id)]
        }
        let start = self.fetches[index].position ?? offset
        if start < offset {
            self.held.insert(contentsOf: start..<offset)
            self.fetches[index].position = offset
            let brought = self.fetches[index].brought
            self.fetches[index].brought = brought.addingClamped(offset - start)
        }
        if let end = self.fetches[index].end, offset >= end,
            offset != self.fetches[index].requestedEnd
        {
            // A newer claim has taken over the following bytes.
            self.fetches.remove(at: index)
            return [.close(id)] + self.replanned()
        }
        return self.replanned()
    }

    /// Held bytes turned out to be damaged: they are a hole now.
    mutating func lost(_ range: Range<Int64>) -> [Effect] {
        self.held.remove(contentsOf: range)
        return self.replanned()
    }

    /// The body of a request has ended.
    mutating func finished(_ id: FetchID) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else { return [] }
        let fetch = self.fetches.remove(at: index)
        // If a body of unknown length ends before the requested end, or without one, the resource
        // ends there, too.
        if self.length == nil, let end = fetch.position, end < fetch.requestedEnd ?? .max {
            self.described(length: end)
        }
        return self.replanned()
    }

    /// The request failed, after all retries.
    ///
    /// `onlyItsDemand`: the requested range is at fault, not the origin.
    mutating func failed(_ id: FetchID, onlyItsDemand: Bool) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else { return [] }
        let fetch = self.fetches.remove(at: index)
        var doomed: [DemandID] = []
        for demand in self.demands {
            // Before the description, every reader waits for the one fetch. After the description,
            // a reader that has not reached the missing bytes yet requests them again when it
            // reaches them.
            let waits =
                self.isDescribed ? self.need(of: demand).map { fetch.claims($0) } ?? false : true
            if onlyItsDemand ? demand.id == fetch.openedFor : waits { doomed.append(demand.id) }
        }
        self.demands.removeAll { doomed.contains($0.id) }
        if fetch.openedFor == nil || !onlyItsDemand { self.mayFill = false }
        return doomed.map { .fail($0) } + self.replanned()
    }

    /// The linger time of a fetch is over.
    mutating func lingered(_ id: FetchID) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }),
            self.fetches[index].state == .lingering
        else { return [] }
        self.fetches.remove(at: index)
        return [.close(id)] + self.replanned()
    }

    // MARK: Facts

    /// Another fetch that brings all missing bytes up to the end of the resource.
    private func wholeBody(beside id: FetchID) -> Int? {
        let (length, held) = (self.length, self.held)
        return self.fetches.firstIndex { fetch in
            guard fetch.id != id, fetch.isAnswered, fetch.requestedEnd == length,
                let position = fetch.position
            else { return false }
            return held.firstMissing(in: 0..<position) == nil
        }
    }

    /// The request that was opened for a demand and will soon bring a byte, if there is one.
    func fetch(openedFor demand: DemandID, bringing offset: Int64) -> FetchID? {
        self.fetches.first { $0.openedFor == demand && $0.brings(offset, within: self.reach) }?.id
    }

    private mutating func described(length: Int64?) {
        self.isDescribed = true
        guard let length, self.length == nil else { return }
        self.length = length
        for index in self.demands.indices { self.demands[index].resolve(inLength: length) }
        for index in self.fetches.indices where self.fetches[index].end == nil {
            self.fetches[index].end = length
            self.fetches[index].requestedEnd = length
        }
    }

    /// Whether the whole resource is wanted, when no reader needs the line.
    var keepsWhole: Bool {
        self.policy.prefetch == .whole || self.demands.contains { $0.isBackground }
    }

    /// The next byte that a demand lacks.
    func missing(of demand: Demand) -> Int64? {
        guard let position = demand.position else { return nil }
        let end = demand.end ?? .max
        return position < end ? self.held.firstMissing(in: position..<end) : nil
    }

    /// The next byte that a demand lacks, if it must be requested now.
    ///
    /// - Parameters:
    ///   - demand: the reader.
    ///   - isUrgent: whether to consider only playing, not keeping the whole resource.
    /// - Returns: `nil` if no byte is missing, or if enough bytes precede it.
    func need(of demand: Demand, isUrgent: Bool = false) -> Int64? {
        guard let position = demand.position, let missing = self.missing(of: demand) else {
            return nil
        }
        let isNear = missing == position || missing - position < self.policy.readAhead
        return isNear || (self.keepsWhole && !isUrgent) ? missing : nil
    }
}

extension FetchPlan {
    /// A reader: its position and its end.
    struct Demand {
        let id: DemandID
        /// The requested range, before the length was known.
        let request: RequestedRange
        /// Whether it fetches only to keep the bytes.
        var isBackground = false
        /// Whether it has taken a byte.
        var hasBegun = false
        /// The next byte it will take; `nil` for a suffix until the length is known.
        var position: Int64?
        /// Its end; `nil` for "at the end of the resource" until the length is known.
        var end: Int64?

        init(id: DemandID, request: RequestedRange, length: Int64?) {
            self.id = id
            self.request = request
            self.position = request.knownLowerBound
            self.end = request.knownUpperBound
            if let length { self.resolve(inLength: length) }
        }

        /// Settles the bounds once the length is known; a start past the end becomes an empty range
        /// at the end.
        mutating func resolve(inLength length: Int64) {
            guard let range = self.request.resolved(inLength: length) else {
                self.position = length
                self.end = length
                return
            }
            self.position = max(self.position ?? range.lowerBound, range.lowerBound)
            self.end = range.upperBound
        }
    }

    /// A request to the origin, and its claim on a hole.
    struct Fetch {
        let id: FetchID
        /// The demand that it was opened for.
        let openedFor: DemandID?
        /// The next byte that it will bring; `nil` for a suffix until the response arrives.
        var position: Int64?
        /// The end of its claim; another fetch may have taken over the rest.
        ///
        /// `nil` means to the end of the resource, whose length is unknown.
        var end: Int64?
        /// The end of the requested range, at which the request ends.
        var requestedEnd: Int64?
        /// How many bytes it has brought.
        var brought: Int64 = 0
        /// The index of the newest demand that waits for its bytes; `nil` if none does.
        ///
        /// A new fetch counts as if the newest possible demand waited for it.
        var newestReader: Int? = .max
        /// Whether the head of its response has arrived.
        var isAnswered = false
        var state = State.running

        enum State: Hashable {
            /// The response, and then its bytes, are received as they arrive.
            case running
            /// Bytes stay in the connection.
            case paused
            /// Paused, without a reader, until the linger time is over.
            case lingering
        }

        /// Whether it will soon bring this byte.
        func brings(_ offset: Int64, within reach: Int64) -> Bool {
            guard let position = self.position, position <= offset else { return false }
            if let end = self.end, offset >= end { return false }
            return offset - position <= reach
        }

        /// Whether the whole requested range has arrived, and only the end of the body is missing.
        var isEnding: Bool {
            guard let end = self.requestedEnd, let position = self.position else { return false }
            return position >= end
        }

        /// Whether its claim covers this byte.
        func claims(_ offset: Int64) -> Bool {
            guard let position = self.position, position <= offset else { return false }
            return self.end.map { offset < $0 } ?? true
        }
    }

    /// An action for the shell.
    ///
    /// The effects of one event are carried out in order.
    enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Send a request for a range.
        ///
        /// The `overlap` bytes at its start and end are held already and must prove equal (law 2,
        /// resources without a validator).
        case open(FetchID, RequestedRange, overlap: Overlap)
        /// Read these held bytes again beside this fetch.
        ///
        /// None of the fetch's bytes may be used before these have proved equal (law 2, resources
        /// without a validator).
        case verify(FetchID, Range<Int64>)
        /// Take no more bytes from this fetch until `proceed`.
        case pause(FetchID)
        /// Take bytes again.
        case proceed(FetchID)
        /// No reader wants this fetch: take no more bytes, and report `lingered` after the linger
        /// time.
        case linger(FetchID)
        /// End the request and close its connection.
        case close(FetchID)
        /// The demand cannot be met: its reader gets the error of the failed fetch.
        case fail(DemandID)

        /// The effect as a line of a transcript: `open f1 0...`.
        var description: String {
            switch self {
            case .open(let id, let range, .none): "open \(id) \(range)"
            case .open(let id, let range, let overlap): "open \(id) \(range) comparing \(overlap)"
            case .verify(let id, let range):
                "verify \(id) \(range.lowerBound)..<\(range.upperBound)"
            case .pause(let id): "pause \(id)"
            case .proceed(let id): "proceed \(id)"
            case .linger(let id): "linger \(id)"
            case .close(let id): "close \(id)"
            case .fail(let id): "fail \(id)"
            }
        }
    }
}

/// Identifies one reader's demand within a plan.
struct DemandID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "d\(self.rawValue)" }
}

/// Identifies one request to the origin within a plan.
struct FetchID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "f\(self.rawValue)" }
}
