// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What is fetched, when, and for which reader: the decisions about one generation of one resource.
///
/// Events go in (past tense), effects come out (imperative); there is no clock, no task and no I/O in
/// here. The rules, each a law of the architecture:
///
/// - A demand joins a running fetch that will bring its next missing byte within `reach`; else another
///   is opened there. It asks for the hole and no more, so no byte is fetched twice.
/// - Demands that wait for bytes beside each other get one request for all of them.
/// - The newest demand is served first. It takes the rest of a hole over from an older claim, which then
///   ends where the new one starts.
/// - Where there are as many fetches as may be, a demand waits for the next place: the newest and the oldest get one
///   in turn. A fetch for a range up to the read-ahead keeps its place to its end; one for a longer range gives way to
///   a newer demand once it has brought what the line carries while another request waits for its first byte.
/// - A fetch runs at most `readAhead` beyond the reader that is farthest along, unless the whole
///   resource is to be kept.
/// - A fetch that no demand wants stops at once, lingers, and is closed, unless more is to be kept. It is closed at once
///   when another one wants the line. One whose next bytes lie within a reader's read-ahead waits for that reader.
/// - A download in the background is served when no reader wants anything, and takes what is left of the line.
/// - An origin without ranges is read forward in one request, which goes on without a reader while little is left: what
///   has come would have to come again.
/// - Where no validator vouches for a continuation, a request that starts beside nothing that is held waits until bytes
///   that are held have come again and are the same.
///
/// Until the first answer has described the resource there is one fetch only, and every other demand
/// waits for its head: sixteen readers of a cold resource are one request.
struct FetchPlan: ~Copyable {
    let policy: LoadPolicy
    /// Whether an answer, or the cache, has said what the resource is.
    var isDescribed = false
    /// Its length in bytes, once known.
    var length: Int64?
    /// What can be read already.
    var held = RangeSet<Int64>()
    /// Bytes to read again and compare where a hole meets a run, on either side.
    var overlap: Int64 = 0
    /// The readers, the newest last.
    var demands: [Demand] = []
    /// The requests under way, in the order in which they were sent.
    var fetches: [Fetch] = []
    /// Whether the origin answers a range with the whole.
    var ignoresRanges = false
    /// Whether holes are filled without a reader; off after a failure until the next reader comes.
    var mayFill = true
    /// Whether the next free place is for the oldest demand that waits for one.
    var oldestIsNext = false
    /// How far ahead of a running fetch a reader waits for it: what the line carries while another
    /// request would wait for its first byte, once that has been measured.
    var reach: Int64
    /// The number of the newest fetch.
    var lastFetch: Int

    /// A plan that nothing has happened to.
    ///
    /// - Parameters:
    ///   - policy: the numbers.
    ///   - lastFetch: the number of the last request of the plan before it, if there was one: what is still
    ///     heard of that one must not be taken for news of a request of this plan.
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

    /// A reader came.
    ///
    /// Demands are served newest first, those in the background behind all others.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - range: what it asks for.
    ///   - isBackground: whether it fetches only to keep: it leaves the line to every reader that plays.
    /// - Returns: what follows.
    mutating func demanded(_ id: DemandID, _ range: RequestedRange, isBackground: Bool = false)
        -> [Effect]
    {
        self.mayFill = true
        var demand = Demand(id: id, request: range, length: self.length)
        demand.isBackground = isBackground
        self.demands.append(demand)
        return self.replanned()
    }

    /// A reader has taken everything before a byte.
    ///
    /// What it has taken has been written, though the fetch that brought it may not have said so yet: readers
    /// follow the writer, news of arrivals may follow the readers.
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

    /// A reader has gone, satisfied or not.
    mutating func departed(_ id: DemandID) -> [Effect] {
        guard let index = self.demands.firstIndex(where: { $0.id == id }) else { return [] }
        self.demands.remove(at: index)
        return self.replanned()
    }

    /// An answer's head came: the bytes will start at `offset`.
    ///
    /// `coversWhole` tells that they will go on to the end of the resource, whatever was asked for.
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
            // It comes already, in a body that was not known to be without ranges.
            self.fetches[whole].end = self.fetches[whole].requestedEnd
            self.fetches.removeAll { $0.id == id }
            return [.close(id)] + self.replanned()
        }
        self.fetches[index].position = offset
        self.fetches[index].state = .running
        if coversWhole {
            self.fetches[index].end = length ?? self.length
            self.fetches[index].requestedEnd = length ?? self.length
        }
        self.described(length: length)
        return self.replanned()
    }

    /// The line was timed: a first byte took `latency` seconds, and then `rate` bytes came each second.
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
            // What follows was taken over by a newer claim.
            self.fetches.remove(at: index)
            return [.close(id)] + self.replanned()
        }
        return self.replanned()
    }

    /// Bytes that were held turned out to be damaged: they are a hole.
    mutating func lost(_ range: Range<Int64>) -> [Effect] {
        self.held.remove(contentsOf: range)
        return self.replanned()
    }

    /// The body came to its proven end.
    mutating func finished(_ id: FetchID) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else { return [] }
        let fetch = self.fetches.remove(at: index)
        // A body of unknown length ended before a requested end, or without one: so does the resource.
        if self.length == nil, let end = fetch.position, end < fetch.requestedEnd ?? .max {
            self.described(length: end)
        }
        return self.replanned()
    }

    /// The request came to nothing, after all retries.
    ///
    /// `onlyItsDemand` tells that the fault lies in the range that was asked for, not in the origin.
    mutating func failed(_ id: FetchID, onlyItsDemand: Bool) -> [Effect] {
        guard let index = self.fetches.firstIndex(where: { $0.id == id }) else { return [] }
        let fetch = self.fetches.remove(at: index)
        var doomed: [DemandID] = []
        for demand in self.demands {
            // Before the description every reader waits for the one fetch; after it, a reader that has not
            // come to the lost bytes yet asks again when it does.
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

    /// A fetch, beside another one, that brings all that is missing up to the end of the resource.
    private func wholeBody(beside id: FetchID) -> Int? {
        let (length, held) = (self.length, self.held)
        return self.fetches.firstIndex { fetch in
            guard fetch.id != id, fetch.state != .opening, fetch.requestedEnd == length,
                let position = fetch.position
            else { return false }
            return held.firstMissing(in: 0..<position) == nil
        }
    }

    /// The request that was sent for a demand and will bring a byte without much of a wait, if there is one.
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

    /// Whether all of the resource is wanted, as far as no reader needs the line.
    var keepsWhole: Bool {
        self.policy.keep == .whole || self.demands.contains { $0.isBackground }
    }

    /// The next byte that a demand lacks.
    func missing(of demand: Demand) -> Int64? {
        guard let position = demand.position else { return nil }
        let end = demand.end ?? .max
        return position < end ? self.held.firstMissing(in: position..<end) : nil
    }

    /// The next byte that a demand lacks, if it is time to ask for it.
    ///
    /// - Parameters:
    ///   - demand: the reader.
    ///   - isUrgent: whether only the needs of playing count, not those of keeping the whole.
    /// - Returns: `nil` if it lacks none, or has enough before it.
    func need(of demand: Demand, isUrgent: Bool = false) -> Int64? {
        guard let position = demand.position, let missing = self.missing(of: demand) else {
            return nil
        }
        let isNear = missing == position || missing - position < self.policy.readAhead
        return isNear || (self.keepsWhole && !isUrgent) ? missing : nil
    }
}

extension FetchPlan {
    /// A reader: where it is, and where it wants to get.
    struct Demand {
        let id: DemandID
        /// What it asked for, before the length was known.
        let request: RequestedRange
        /// Whether it fetches only to keep.
        var isBackground = false
        /// Whether it has taken a byte.
        var hasBegun = false
        /// The next byte it will take; `nil` for a suffix until the length is known.
        var position: Int64?
        /// Where it ends; `nil` for "at the end of the resource" until the length is known.
        var end: Int64?

        init(id: DemandID, request: RequestedRange, length: Int64?) {
            self.id = id
            self.request = request
            self.position = request.knownLowerBound
            self.end = request.knownUpperBound
            if let length { self.resolve(inLength: length) }
        }

        /// Settles the bounds once the length is known; a start past the end becomes an empty rest.
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

    /// A request to the origin, and the claim it has on a hole.
    struct Fetch {
        let id: FetchID
        /// The demand that it was opened for.
        let openedFor: DemandID?
        /// The next byte it will bring; `nil` for a suffix until the answer has come.
        var position: Int64?
        /// The end of its claim; another fetch may have taken the rest over.
        ///
        /// `nil`: to the end of the resource, whose length is unknown.
        var end: Int64?
        /// Where the requested range ends; reaching it ends the request by itself.
        var requestedEnd: Int64?
        /// How many bytes it has brought.
        var brought: Int64 = 0
        /// The place among the demands of the newest reader that waits for what it brings; `nil` if none does.
        ///
        /// One that was opened just now is for the newest that there may be.
        var newestReader: Int? = .max
        var state = State.opening

        enum State: Hashable {
            /// Sent, not answered.
            case opening
            /// Bytes are taken as they come.
            case running
            /// Bytes are left in the connection.
            case paused
            /// As paused, without a reader and with the time running.
            case lingering
        }

        /// Whether it will bring this byte without much of a wait.
        func brings(_ offset: Int64, within reach: Int64) -> Bool {
            guard let position = self.position, position <= offset else { return false }
            if let end = self.end, offset >= end { return false }
            return offset - position <= reach
        }

        /// Whether all of the requested range has come, and only its end is awaited.
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

    /// What the shell must do.
    ///
    /// Effects of one event are carried out in their order.
    enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Send a request for a range. So many bytes at its start and at its end are held already and must
        /// turn out the same (law 2, resources without a validator).
        case open(FetchID, RequestedRange, overlap: Overlap)
        /// Read these bytes, which are held, again beside this fetch: none of its bytes may be used before they have turned
        /// out the same (law 2, resources without a validator).
        case verify(FetchID, Range<Int64>)
        /// Take no more bytes from this fetch until `proceed`.
        case pause(FetchID)
        /// Take bytes again.
        case proceed(FetchID)
        /// No reader wants this fetch: take no more bytes, and report `lingered` after the linger time.
        case linger(FetchID)
        /// End the request and close its connection.
        case close(FetchID)
        /// The demand cannot be met: its reader gets the error of the fetch that just failed.
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

/// Names one reader's demand within a plan.
struct DemandID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "d\(self.rawValue)" }
}

/// Names one request to the origin within a plan.
struct FetchID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "f\(self.rawValue)" }
}
