// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Compares the names of the files that lie in a cache directory with what the catalogue knows, after
/// an owner that did not close it.
///
/// Pure: names in, a plan out. The journals are the truth; the catalogue is believed only where its row
/// names the newest generation and says that its journal has not grown since.
struct DirectorySurvey: Sendable {
    /// What is to be done.
    struct Plan: Hashable, Sendable {
        /// Rows that can be believed.
        var trusted: [KnownGeneration] = []
        /// Resources whose journals must be read: the first generation that proves itself counts,
        /// newest first; the others go.
        var doubtful: [ResourceID: [GenerationID]] = [:]
        /// Generations that have been superseded or have no journal.
        var leftovers: [Leftover] = []
        /// Rows whose files are gone.
        var vanished: [KnownGeneration] = []
        /// Journals that were being written anew.
        var unfinished: [StoredFileName] = []
        /// The largest name of a generation on disk.
        var newest = GenerationID(rawValue: 0)
    }

    /// A generation whose files are to be removed.
    struct Leftover: Hashable, Sendable {
        var resource: ResourceID
        var generation: GenerationID
    }

    private struct Found {
        var generation: GenerationID
        var hasJournal: Bool
    }

    private var found: [ResourceID: [Found]] = [:]
    private var unfinished: [StoredFileName] = []
    private var newest = GenerationID(rawValue: 0)

    /// A file was found; what is not named as the store names its files is not the store's.
    mutating func found(_ name: StoredFileName) {
        if name.generation.rawValue > self.newest.rawValue { self.newest = name.generation }
        guard name.kind != .newJournal else {
            self.unfinished.append(name)
            return
        }
        var generations = self.found[name.resource] ?? []
        let place = generations.firstIndex { $0.generation == name.generation }
        if let place {
            if name.kind == .journal { generations[place].hasJournal = true }
        } else {
            generations.append(
                Found(generation: name.generation, hasJournal: name.kind == .journal)
            )
        }
        self.found[name.resource] = generations
    }

    /// What is to be done, given the catalogue's rows, the least recently used first.
    func plan(known: [KnownGeneration]) -> Plan {
        var plan = Plan(unfinished: self.unfinished, newest: self.newest)
        var seen: Set<ResourceID> = []
        for row in known {
            guard let generations = self.found[row.id] else {
                plan.vanished.append(row)
                continue
            }
            seen.insert(row.id)
            self.settle(row.id, generations, known: row, in: &plan)
        }
        for (id, generations) in self.found where !seen.contains(id) {
            self.settle(id, generations, known: nil, in: &plan)
        }
        return plan
    }

    private func settle(
        _ id: ResourceID,
        _ generations: [Found],
        known: KnownGeneration?,
        in plan: inout Plan
    ) {
        let candidates = generations.filter(\.hasJournal).map(\.generation)
            .sorted { $0.rawValue > $1.rawValue }
        var leftovers = generations.filter { !$0.hasJournal }.map(\.generation)
        if let known, !known.isChanging, known.generation == candidates.first {
            plan.trusted.append(known)
            leftovers += candidates.dropFirst()
        } else if candidates.isEmpty {
            if let known { plan.vanished.append(known) }
        } else {
            plan.doubtful[id] = candidates
        }
        plan.leftovers += leftovers.map { Leftover(resource: id, generation: $0) }
    }
}
