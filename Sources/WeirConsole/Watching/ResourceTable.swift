// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirSource

/// The cached resources as pages show them; finds the changed resources, and the resources to look
/// up.
///
/// Pure. The values of a resource come from three places. Each look reads the cache's memory. The
/// catalogue is read once for each generation, and the held byte ranges when they have changed.
struct ResourceTable {
    /// The largest number of shown resources; the most recently used resources are shown.
    static let capacity = 5000
    /// The most changes of one look; the next look handles the rest.
    static let changeLimit = 250
    /// The most resources whose byte ranges one look reads from the disk.
    static let journalLimit = 50
    /// The most runs in a set of pieces.
    static let runLimit = 2048

    fileprivate struct Row {
        var entry: CacheSnapshot.Entry
        var details: CachedResource
        var pieces: ConsoleState.Pieces?
    }

    private var rows: [ResourceID: Row] = [:]

    /// The differences between the cache and the table.
    struct Difference {
        /// The entries that differ from the table, the newest first.
        var changed: [CacheSnapshot.Entry] = []
        /// The changed resources whose details are not known.
        var unknown: [ResourceID] = []
        /// The resources that are no longer cached.
        var removed: [ResourceID] = []
    }

    /// Compares the cache with the table.
    ///
    /// - Parameters:
    ///   - entries: the entries of the cache, the newest first.
    ///   - limit: the most changes to name.
    ///   - looksUpPieces: whether resources whose byte ranges are not known are named, too.
    /// - Returns: the differences.
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

    /// Applies the differences and the values that were looked up for them.
    ///
    /// - Parameters:
    ///   - difference: the differences.
    ///   - details: the details of the unknown resources; missing details are looked up again.
    ///   - pieces: the byte ranges of the changed resources.
    /// - Returns: the changes for the pages.
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
            // Byte ranges that belong to an earlier entry are outdated.
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

    /// The lengths of the changed resources, as far as they are known.
    func lengths(of difference: Difference) -> [ResourceID: Int64] {
        var lengths: [ResourceID: Int64] = [:]
        for entry in difference.changed { lengths[entry.id] = self.rows[entry.id]?.details.length }
        return lengths
    }

    /// All resources, the last used one first.
    var resources: [ConsoleState.Resource] {
        self.rows.values.sorted { $0.entry.lastUse > $1.entry.lastUse }
            .map(ConsoleState.Resource.init)
    }

    /// The known details of a resource.
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

    /// The runs; if there are too many, the runs with the smallest gaps between them are joined.
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

    /// The resources, each with few enough runs that one line holds all of them.
    ///
    /// The lines of changes have all runs.
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
