// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FetchPlan {
    /// Plans all fetches again, and returns the necessary changes.
    mutating func replanned() -> [Effect] {
        var effects: [Effect] = []
        // The offset up to which each fetch may run for the demands that it serves.
        var limits: [FetchID: Int64] = [:]
        // While a reader lacks its next bytes, nothing is fetched only to be kept.
        var isUrgent = false
        for demand in self.demands where self.isDescribed && !isUrgent && !demand.isBackground {
            isUrgent = self.need(of: demand, isUrgent: true) != nil
        }
        self.noteReaders()
        // The newest demand comes first, but blocks no other: while demands wait, the oldest gets
        // every second place.
        if self.oldestIsNext, let oldest = self.demands.first(where: { self.isWaiting($0) }) {
            let last = self.lastFetch
            self.serve(oldest, isUrgent: isUrgent, limits: &limits, effects: &effects)
            self.oldestIsNext = self.lastFetch == last
        }
        for demand in self.demands.reversed() where !demand.isBackground {
            self.serve(demand, isUrgent: isUrgent, limits: &limits, effects: &effects)
        }
        // Before the first response, one request also serves background demands. If a request is
        // about to end, wait for its connection.
        let isLineFree = limits.isEmpty && !self.fetches.contains(where: \.isEnding)
        for demand in self.demands.reversed()
        where demand.isBackground && (isLineFree || !self.isDescribed) {
            self.serve(demand, isUrgent: false, limits: &limits, effects: &effects)
        }
        self.fillHoles(limits: &limits, effects: &effects)
        self.finishWholes(limits: &limits)
        self.keepAhead(limits: &limits)
        let isLineWanted = self.fetches.contains { fetch in
            limits[fetch.id].map { !fetch.isEnding && fetch.position ?? 0 < $0 } ?? false
        }
        // Close unwanted fetches: their bytes would arrive before the wanted bytes.
        let superseded = self.fetches.filter { fetch in
            isLineWanted && limits[fetch.id] == nil && !fetch.isEnding
        }.map(\.id)
        self.fetches.removeAll { superseded.contains($0.id) }
        effects += superseded.map { .close($0) }
        for index in self.fetches.indices {
            self.steer(index, limit: limits[self.fetches[index].id], effects: &effects)
        }
        return effects
    }

    private mutating func serve(
        _ demand: Demand,
        isUrgent: Bool,
        limits: inout [FetchID: Int64],
        effects: inout [Effect]
    ) {
        guard self.isDescribed else {
            if let first = self.fetches.first {
                limits[first.id] = .max
            } else if !demand.request.isEmpty {
                let id = self.open(
                    demand.request,
                    for: demand.id,
                    overlap: .none,
                    effects: &effects
                )
                limits[id] = .max
            }
            return
        }
        guard let position = demand.position, let missing = self.missing(of: demand) else { return }
        let wanted = demand.end ?? .max
        let ahead =
            position > .max - self.policy.readAhead ? .max : position + self.policy.readAhead
        let limit =
            self.keepsWhole && !isUrgent ? .max : min(wanted, max(ahead, position + 1))
        let reach = self.ignoresRanges ? Int64.max : self.reach
        if let fetch = self.fetches.first(where: { $0.brings(missing, within: reach) }) {
            // The fetch may already be at its limit. Then it pauses, and keeps its connection.
            limits[fetch.id] = max(limits[fetch.id] ?? 0, limit)
            return
        }
        guard let need = self.need(of: demand, isUrgent: isUrgent) else { return }
        if self.fetches.count >= self.policy.maximumFetches {
            let ahead = need - position
            guard let spare = self.spare(for: demand, ahead: ahead, limits: limits) else { return }
            let id = self.fetches.remove(at: spare).id
            limits[id] = nil
            effects.append(.close(id))
        }
        let id: FetchID
        if self.ignoresRanges {
            // The origin sends everything from the first byte anyway: use all of it.
            let first = self.held.firstMissing(in: 0..<(need + 1)) ?? need
            id = self.claim(first, self.length, for: demand.id, effects: &effects)
        } else {
            let run = self.wantedRun(around: need, of: demand)
            let end = self.claimEnd(from: run.lowerBound, wanted: run.upperBound)
            id = self.claim(run.lowerBound, end, for: demand.id, effects: &effects)
        }
        self.oldestIsNext = self.demands.contains { self.isWaiting($0) }
        limits[id] = limit
    }

    /// Whether a reader lacks its next byte, and no request will bring it soon.
    private func isWaiting(_ demand: Demand) -> Bool {
        guard self.isDescribed, !demand.isBackground, let position = demand.position,
            self.missing(of: demand) == position
        else { return false }
        return !self.isAwaited(position)
    }

    /// Whether a running request will soon bring a byte.
    private func isAwaited(_ offset: Int64) -> Bool {
        let reach = self.ignoresRanges ? Int64.max : self.reach
        return self.fetches.contains { $0.brings(offset, within: reach) }
    }

    /// The range for one request around a missing byte.
    ///
    /// It joins adjacent ranges of readers that want bytes within reach of its start. It begins
    /// behind held and already requested bytes.
    private func wantedRun(around need: Int64, of demand: Demand) -> Range<Int64> {
        let hole = self.held.hole(containing: need, before: .max)?.lowerBound ?? need
        let claimed = self.fetches.filter { $0.position.map { $0 < need } ?? false }
            .map { min($0.end ?? .max, need) }.max()
        let least = max(hole, claimed ?? 0)
        let wanted = self.demands.filter { !$0.isBackground }.compactMap { other in
            self.need(of: other).map { $0..<(other.end ?? .max) }
        }
        var union = RangeSet(need..<(demand.end ?? .max))
        for range in wanted where need - self.reach...need ~= range.lowerBound {
            union.insert(contentsOf: max(range.lowerBound, least)..<max(range.upperBound, least))
        }
        let start = union.run(containing: need)?.lowerBound ?? need
        for range in wanted where need...start.addingClamped(self.reach) ~= range.lowerBound {
            union.insert(contentsOf: range)
        }
        return start..<(union.run(containing: need)?.upperBound ?? need + 1)
    }

    /// The fetch that makes room for another one when the maximum number is reached.
    ///
    /// The first choice is an unwanted fetch. Two more choices are only for a reader with less than
    /// half of its read-ahead: a fetch whose readers have their full read-ahead, then a fetch that
    /// only older readers wait for. If no fetch makes room, the reader waits for the next place.
    private func spare(for demand: Demand, ahead: Int64, limits: [FetchID: Int64]) -> Int? {
        let lingering = self.fetches.firstIndex { $0.state == .lingering && limits[$0.id] == nil }
        if let lingering { return lingering }
        // A reader with more read-ahead would take the place of another reader for a short time,
        // and then lose it again.
        guard ahead == 0 || ahead < self.policy.readAhead / 2 else { return nil }
        return self.fetches.firstIndex { fetch in
            fetch.state == .paused && limits[fetch.id].map { fetch.position ?? 0 >= $0 } ?? true
        } ?? self.older(than: demand)
    }

    /// The fetch that gives way to a newer reader.
    ///
    /// This is an unwanted fetch. For a reader without a byte so far, it may also be the fetch of
    /// older readers that has brought the most bytes. A request keeps its place if its end is near,
    /// and until it has brought ``reach`` bytes. So each reader displaces at most one fetch.
    private func older(than demand: Demand) -> Int? {
        var found: Int?
        guard let own = self.demands.firstIndex(where: { $0.id == demand.id }) else { return nil }
        for (index, fetch) in self.fetches.enumerated() where !fetch.isEnding {
            guard let newest = fetch.newestReader else { return index }
            let rest = (fetch.end ?? self.length ?? .max) - (fetch.position ?? 0)
            guard !demand.hasBegun, rest > self.policy.readAhead,
                fetch.brought >= max(self.reach, found.map { self.fetches[$0].brought + 1 } ?? 0),
                newest < own
            else { continue }
            found = index
        }
        return found
    }

    /// Notes, for each fetch, the newest reader that waits for its bytes.
    private mutating func noteReaders() {
        let reach = self.ignoresRanges ? Int64.max : self.reach
        for index in self.fetches.indices { self.fetches[index].newestReader = nil }
        for (place, demand) in self.demands.enumerated() where !demand.isBackground {
            guard let need = self.need(of: demand),
                let index = self.fetches.firstIndex(where: { $0.brings(need, within: reach) })
            else { continue }
            self.fetches[index].newestReader = place
        }
    }

    /// The end of a claim from `need` on: the end of the hole, the next fetch, or the end of the
    /// demand.
    private func claimEnd(from need: Int64, wanted: Int64?) -> Int64? {
        let limit = min(wanted ?? .max, self.length ?? .max)
        let holeEnd = self.held.hole(containing: need, before: .max)?.upperBound ?? .max
        let next = self.fetches.compactMap(\.position).filter { $0 > need }.min() ?? .max
        let end = min(limit, holeEnd, next)
        return end == .max ? nil : end
    }

    /// Opens a fetch for the bytes from `need` on.
    ///
    /// If another fetch claims them, the other fetch's claim now ends at `need`.
    private mutating func claim(
        _ need: Int64,
        _ end: Int64?,
        for demand: DemandID?,
        effects: inout [Effect]
    ) -> FetchID {
        for index in self.fetches.indices where self.fetches[index].claims(need) {
            self.fetches[index].end = need
        }
        // The bytes that another fetch will bring up to this position count, too.
        let isMet = self.fetches.contains { $0.end == need }
        let before =
            self.held.run(containing: need - 1).map { need - $0.lowerBound } ?? (isMet ? need : 0)
        let overlap = Overlap(
            before: min(self.overlap, before),
            after: min(self.overlap, end.map { self.known(from: $0) } ?? 0)
        )
        let lower = need - overlap.before
        let range: RequestedRange =
            if let end, end + overlap.after < self.length ?? .max {
                .span(lower..<end + overlap.after)
            } else {
                .from(lower)
            }
        let id = self.open(range, for: demand, overlap: overlap, effects: &effects)
        let index = self.fetches.count - 1
        self.fetches[index].position = need
        self.fetches[index].end = end
        self.fetches[index].requestedEnd = end
        if let witness = self.witness(beside: need) { effects.append(.verify(id, witness)) }
        return id
    }

    /// The held bytes to fetch again and compare before bytes from `need` on are used.
    ///
    /// `nil` if there is a validator, if the request itself begins with held bytes, if the origin
    /// ignores ranges, or if no bytes are held.
    private func witness(beside need: Int64) -> Range<Int64>? {
        guard self.overlap > 0, !self.ignoresRanges, !self.held.contains(need - 1) else {
            return nil
        }
        var nearest: (distance: Int64, bytes: Range<Int64>)?
        for run in self.held.ranges {
            let distance = run.upperBound <= need ? need - run.upperBound : run.lowerBound - need
            guard distance < nearest?.distance ?? .max else { continue }
            let count = min(self.overlap, run.upperBound - run.lowerBound)
            let isBefore = run.upperBound <= need
            let lower = isBefore ? run.upperBound - count : run.lowerBound
            nearest = (distance, lower..<lower + count)
        }
        return nearest?.bytes
    }

    /// How many bytes from an offset on are held, or will soon be brought by another fetch.
    private func known(from offset: Int64) -> Int64 {
        if let run = self.held.run(containing: offset) { return run.upperBound - offset }
        let isAwaited = self.fetches.contains { $0.position == offset }
        return isAwaited ? max(0, (self.length ?? offset) - offset) : 0
    }

    private mutating func open(
        _ range: RequestedRange,
        for demand: DemandID?,
        overlap: Overlap,
        effects: inout [Effect]
    ) -> FetchID {
        self.lastFetch += 1
        let id = FetchID(rawValue: self.lastFetch)
        var fetch = Fetch(id: id, openedFor: demand)
        fetch.position = range.knownLowerBound
        fetch.end = range.knownUpperBound
        fetch.requestedEnd = range.knownUpperBound
        self.fetches.append(fetch)
        effects.append(.open(id, range, overlap: overlap))
        return id
    }

    /// Fetches bytes that the policy keeps, while no reader needs the connection.
    private mutating func fillHoles(limits: inout [FetchID: Int64], effects: inout [Effect]) {
        guard self.isDescribed, self.mayFill, let length = self.length, limits.isEmpty,
            !self.fetches.contains(where: \.isEnding)
        else { return }
        let end = self.policy.prefetch.fillEnd(inLength: length)
        guard end > 0, let missing = self.held.firstMissing(in: 0..<end) else { return }
        if let index = self.fetches.firstIndex(where: { $0.position.map { $0 < end } ?? false }) {
            limits[self.fetches[index].id] = end
            return
        }
        let claimEnd = self.claimEnd(from: missing, wanted: end)
        let id = self.claim(missing, claimEnd, for: nil, effects: &effects)
        limits[id] = end
    }

    /// Lets the body of an origin without ranges end without a reader, if little of it is left.
    private func finishWholes(limits: inout [FetchID: Int64]) {
        guard self.ignoresRanges, limits.isEmpty, let length = self.length else { return }
        for fetch in self.fetches {
            guard let position = fetch.position, length - position <= self.policy.readAhead else {
                continue
            }
            limits[fetch.id] = length
        }
    }

    /// Pauses a fetch if a reader will want its next bytes; closing the fetch would cost another
    /// request.
    private func keepAhead(limits: inout [FetchID: Int64]) {
        for fetch in self.fetches where limits[fetch.id] == nil && !fetch.isEnding {
            guard let next = fetch.position else { continue }
            let isWanted = self.demands.contains { demand in
                guard !demand.isBackground, let start = demand.position, start <= next else {
                    return false
                }
                return next < min(demand.end ?? .max, start.addingClamped(self.policy.readAhead))
            }
            if isWanted { limits[fetch.id] = next }
        }
    }

    /// Lets a fetch run, wait or linger, depending on its limit.
    private mutating func steer(_ index: Int, limit: Int64?, effects: inout [Effect]) {
        let fetch = self.fetches[index]
        if fetch.isEnding {
            // All its bytes have arrived. Its end will free the connection for the next request. A
            // fetch that was paused while its last bytes were being written goes on, to read its
            // end.
            if fetch.state == .paused || fetch.state == .lingering {
                self.fetches[index].state = .running
                effects.append(.proceed(fetch.id))
            }
            return
        }
        guard let limit else {
            guard fetch.state != .lingering else { return }
            self.fetches[index].state = .lingering
            effects.append(.linger(fetch.id))
            return
        }
        // A wanted fetch waits for its response, whatever its limit.
        let mayRun = !fetch.isAnswered || (fetch.position ?? 0) < limit
        switch (fetch.state, mayRun) {
        case (.running, true), (.paused, false): return
        case (.running, false), (.lingering, false):
            self.fetches[index].state = .paused
            effects.append(.pause(fetch.id))
        case (.paused, true), (.lingering, true):
            self.fetches[index].state = .running
            effects.append(.proceed(fetch.id))
        }
    }
}
