// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirSource

/// The cached resources as pages know them: tells which have changed, and what must be looked up for them.
///
/// Pure. What is shown of a resource comes from three places: the cache's memory with each look, its catalogue once for
/// each generation, and what is held byte by byte when that has changed.
struct ResourceTable {
    /// How many resources are shown: those that were used last.
    static let capacity = 5000
    /// The most that one look brings up to date; the rest waits for the next.
    static let changeLimit = 250
    /// The most resources that are looked up on the disk byte by byte in one look.
    static let journalLimit = 50
    /// The most runs of a set of pieces.
    static let runLimit = 2048

    fileprivate struct Row {
        var entry: CacheSnapshot.Entry
        var details: CachedResource
        var pieces: ConsoleState.Pieces?
    }

    private var rows: [ResourceID: Row] = [:]

    /// What a look at the cache has found.
    struct Difference {
        /// What differs from what is known, the newest first; of it, what has to be looked up.
        var changed: [CacheSnapshot.Entry] = []
        /// Those of them whose details are not known.
        var unknown: [ResourceID] = []
        /// What is no longer there.
        var removed: [ResourceID] = []
    }

    /// Compares what is known with what there is.
    ///
    /// - Parameters:
    ///   - entries: what there is, the newest first.
    ///   - limit: the most changes to name.
    ///   - looksUpPieces: whether those of which nothing is known byte by byte are named, too.
    /// - Returns: what differs.
    func compare(
        _ entries: [CacheSnapshot.Entry],
        limit: Int = Self.changeLimit,
        lookingUpPieces looksUpPieces: Bool = true
    ) -> Difference {
        var difference = Difference()
        var seen = Set<ResourceID>(minimumCapacity: entries.count)
        for entry in entries {
            seen.insert(entry.id)
            let row = self.rows[entry.id]
            let lacksPieces =
                looksUpPieces && row?.pieces == nil
                && difference.changed.count < Self.journalLimit
            guard row?.entry != entry || lacksPieces, difference.changed.count < limit else {
                continue
            }
            difference.changed.append(entry)
            if row?.entry.generation != entry.generation || row?.details.length == nil {
                difference.unknown.append(entry.id)
            }
        }
        difference.removed = self.rows.keys.filter { !seen.contains($0) }
        return difference
    }

    /// Takes over what was found and looked up.
    ///
    /// - Parameters:
    ///   - difference: what was found.
    ///   - details: of the resources that were unknown; one that is missing is asked for again.
    ///   - pieces: what is held of those that have changed.
    /// - Returns: what pages are to be told.
    mutating func apply(
        _ difference: Difference,
        details: [CachedResource],
        pieces: [ResourceID: CachedPieces]
    ) -> (changed: [ConsoleState.Resource], removed: [String]) {
        let found = Dictionary(
            details.compactMap { detail in ResourceID(detail.identifier).map { ($0, detail) } },
            uniquingKeysWith: { first, _ in first }
        )
        var changed: [ConsoleState.Resource] = []
        for entry in difference.changed {
            guard let known = found[entry.id] ?? self.rows[entry.id]?.details,
                known.generation == entry.generation
            else { continue }
            // What was looked up of another moment is not what is held now.
            let former = self.rows[entry.id].flatMap { $0.entry == entry ? $0.pieces : nil }
            let row = Row(
                entry: entry,
                details: known,
                pieces: pieces[entry.id].map(ConsoleState.Pieces.init) ?? former
            )
            self.rows[entry.id] = row
            changed.append(ConsoleState.Resource(row))
        }
        for id in difference.removed { self.rows[id] = nil }
        return (changed, difference.removed.map(\.description))
    }

    /// How long those resources are that have changed, as far as that is known.
    func lengths(of difference: Difference) -> [ResourceID: Int64] {
        var lengths: [ResourceID: Int64] = [:]
        for entry in difference.changed { lengths[entry.id] = self.rows[entry.id]?.details.length }
        return lengths
    }

    /// All resources, the one used last first.
    var resources: [ConsoleState.Resource] {
        self.rows.values.sorted { $0.entry.lastUse > $1.entry.lastUse }
            .map(ConsoleState.Resource.init)
    }

    /// What is known of a resource.
    func details(of identifier: String) -> CachedResource? {
        ResourceID(identifier).flatMap { self.rows[$0]?.details }
    }
}

extension ConsoleState.Resource {
    fileprivate init(_ row: ResourceTable.Row) {
        let (entry, details) = (row.entry, row.details)
        self.init(
            id: details.identifier,
            name: details.name,
            source: details.display,
            account: details.account,
            length: details.length,
            held: entry.heldByteCount,
            type: details.mediaType?.essence,
            generation: "\(entry.generation)",
            pinned: entry.isPinned,
            used: Date(timeIntervalSince1970: Double(entry.lastUse) / 1000),
            created: details.created,
            open: entry.isOpen,
            pieces: row.pieces
        )
    }
}

extension ConsoleState.Pieces {
    init(_ pieces: CachedPieces) {
        self.init(
            held: Self.runs(pieces.held),
            verified: Self.runs(pieces.verified),
            bad: Self.runs(pieces.damaged)
        )
    }

    private static func runs(_ set: RangeSet<Int64>) -> [[Int64]] {
        self.joined(set.ranges.map { [$0.lowerBound, $0.upperBound] }, to: ResourceTable.runLimit)
    }

    /// Runs; of more than there may be, those are joined that lie closest together.
    fileprivate static func joined(_ runs: [[Int64]], to limit: Int) -> [[Int64]] {
        guard runs.count > limit else { return runs }
        let gaps = zip(runs, runs.dropFirst()).map { $1[0] - $0[1] }
        let widest = Set(gaps.indices.sorted { gaps[$0] > gaps[$1] }.prefix(limit - 1))
        var joined = [runs[0]]
        for (index, run) in runs.dropFirst().enumerated() {
            if widest.contains(index) {
                joined.append(run)
            } else {
                joined[joined.count - 1][1] = run[1]
            }
        }
        return joined
    }
}

extension [ConsoleState.Resource] {
    /// The most runs of all resources in one line: some 8 MiB.
    private static var runBudget: Int { 200_000 }

    /// The same, with so few runs of each resource that one line holds them; pages have all of those that change.
    var withinBudget: [ConsoleState.Resource] {
        let count = self.reduce(0) { $0 + ($1.pieces?.runCount ?? 0) }
        guard count > Self.runBudget else { return self }
        let limit = Swift.max(8, Self.runBudget / (3 * self.count))
        return self.map { resource in
            var resource = resource
            resource.pieces = resource.pieces.map { pieces in
                ConsoleState.Pieces(
                    held: ConsoleState.Pieces.joined(pieces.held, to: limit),
                    verified: ConsoleState.Pieces.joined(pieces.verified, to: limit),
                    bad: ConsoleState.Pieces.joined(pieces.bad, to: limit)
                )
            }
            return resource
        }
    }
}

extension ConsoleState.Pieces {
    fileprivate var runCount: Int { self.held.count + self.verified.count + self.bad.count }
}
