// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FetchPlan {
    /// Looks at everything anew and says what has to change.
    mutating func replanned() -> [Effect] {
        var effects: [Effect] = []
        // How far each fetch may run for the demands that it serves.
        var limits: [FetchID: Int64] = [:]
        // While a reader lacks what it plays next, nothing is fetched only to be kept.
        var isUrgent = false
        for demand in self.demands where self.isDescribed && !isUrgent && !demand.isBackground {
            isUrgent = self.need(of: demand, isUrgent: true) != nil
        }
        for demand in self.demands.reversed() where !demand.isBackground {
            self.serve(demand, isUrgent: isUrgent, limits: &limits, effects: &effects)
        }
        // Where nothing is known yet, the one request brings what the background wants, too; a connection whose request is
        // about to end is waited for.
        let isLineFree = limits.isEmpty && !self.fetches.contains(where: \.isEnding)
        for demand in self.demands.reversed()
        where demand.isBackground && (isLineFree || !self.isDescribed) {
            self.serve(demand, isUrgent: false, limits: &limits, effects: &effects)
        }
        self.fillHoles(limits: &limits, effects: &effects)
        self.finishWholes(limits: &limits)
        let isLineWanted = self.fetches.contains { fetch in
            limits[fetch.id].map { !fetch.isEnding && fetch.position ?? 0 < $0 } ?? false
        }
        // The bytes of an unwanted one would come before those that are wanted.
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
            // It may be far enough ahead already: then it waits, and keeps its connection.
            limits[fetch.id] = max(limits[fetch.id] ?? 0, limit)
            return
        }
        guard let need = self.need(of: demand, isUrgent: isUrgent) else { return }
        if self.fetches.count >= self.policy.maximumFetches {
            guard let spare = self.spare(for: need - position, limits: limits) else { return }
            let id = self.fetches.remove(at: spare).id
            limits[id] = nil
            effects.append(.close(id))
        }
        let id: FetchID
        if self.ignoresRanges {
            // It sends everything from the first byte anyway: nothing of that is thrown away.
            let first = self.held.firstMissing(in: 0..<(need + 1)) ?? need
            id = self.claim(first, self.length, for: demand.id, effects: &effects)
        } else {
            let end = self.claimEnd(from: need, wanted: demand.request.knownUpperBound)
            id = self.claim(need, end, for: demand.id, effects: &effects)
        }
        limits[id] = limit
    }

    /// The fetch that makes room for another one, where there are as many as may be.
    ///
    /// An unwanted one; else, for a reader that has used up half of its read-ahead, one whose readers have all of
    /// theirs, or one that no newer demand wants. If there is none, the reader waits.
    private func spare(for ahead: Int64, limits: [FetchID: Int64]) -> Int? {
        let lingering = self.fetches.firstIndex { $0.state == .lingering && limits[$0.id] == nil }
        if let lingering { return lingering }
        // With more it would take the place of others for a little, and they its own after that.
        guard ahead == 0 || ahead < self.policy.readAhead / 2 else { return nil }
        return self.fetches.firstIndex { fetch in
            fetch.state == .paused && limits[fetch.id].map { fetch.position ?? 0 >= $0 } ?? true
        } ?? self.fetches.firstIndex { limits[$0.id] == nil }
    }

    /// Where a claim that starts at `need` ends: with the hole, at the next fetch, or where the demand
    /// itself asked to end.
    private func claimEnd(from need: Int64, wanted: Int64?) -> Int64? {
        let limit = min(wanted ?? .max, self.length ?? .max)
        let holeEnd = self.held.hole(containing: need, before: .max)?.upperBound ?? .max
        let next = self.fetches.compactMap(\.position).filter { $0 > need }.min() ?? .max
        let end = min(limit, holeEnd, next)
        return end == .max ? nil : end
    }

    /// Opens a fetch, which takes what follows `need` over from the fetch that claims it.
    private mutating func claim(
        _ need: Int64,
        _ end: Int64?,
        for demand: DemandID?,
        effects: inout [Effect]
    ) -> FetchID {
        for index in self.fetches.indices where self.fetches[index].claims(need) {
            self.fetches[index].end = need
        }
        // What another fetch is about to bring up to here is met, too.
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

    /// Bytes that are held and have to come again, and be the same, before what comes from `need` on is taken for bytes
    /// of the same file; `nil` where a validator tells, or where the request itself begins with such bytes.
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

    /// How many bytes from an offset on are held, or about to be brought by another fetch.
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

    /// Lets what is to be kept be fetched without a reader, while no reader needs the connection.
    private mutating func fillHoles(limits: inout [FetchID: Int64], effects: inout [Effect]) {
        guard self.isDescribed, self.mayFill, let length = self.length, limits.isEmpty,
            !self.fetches.contains(where: \.isEnding)
        else { return }
        let end = self.policy.keep.fillEnd(inLength: length)
        guard end > 0, let missing = self.held.firstMissing(in: 0..<end) else { return }
        if let index = self.fetches.firstIndex(where: { $0.position.map { $0 < end } ?? false }) {
            limits[self.fetches[index].id] = end
            return
        }
        let claimEnd = self.claimEnd(from: missing, wanted: end)
        let id = self.claim(missing, claimEnd, for: nil, effects: &effects)
        limits[id] = end
    }

    /// Lets a body of an origin without ranges come to its end without a reader, where little of it is left.
    private func finishWholes(limits: inout [FetchID: Int64]) {
        guard self.ignoresRanges, limits.isEmpty, let length = self.length else { return }
        for fetch in self.fetches {
            guard let position = fetch.position, length - position <= self.policy.readAhead else {
                continue
            }
            limits[fetch.id] = length
        }
    }

    /// Lets a fetch run, wait or linger, by what is wanted of it.
    private mutating func steer(_ index: Int, limit: Int64?, effects: inout [Effect]) {
        let fetch = self.fetches[index]
        // All of it has come: its end is on the way, and with it the connection for the next request.
        if fetch.isEnding { return }
        guard let limit else {
            guard fetch.state != .lingering else { return }
            self.fetches[index].state = .lingering
            effects.append(.linger(fetch.id))
            return
        }
        let mayRun = (fetch.position ?? 0) < limit
        switch (fetch.state, mayRun) {
        case (.opening, _), (.running, true), (.paused, false): return
        case (.running, false), (.lingering, false):
            self.fetches[index].state = .paused
            effects.append(.pause(fetch.id))
        case (.paused, true), (.lingering, true):
            self.fetches[index].state = .running
            effects.append(.proceed(fetch.id))
        }
    }
}
