// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Compares the names of the files in a cache directory with the catalogue, if the last owner did
/// not close it.
///
/// Pure: names in, a plan out. The journals are the truth. A row of the catalogue is valid only if
/// it names the newest generation and says that its journal has not grown since.
struct DirectorySurvey: Sendable {
    /// The actions that the comparison demands.
    struct Plan: Hashable, Sendable {
        /// The valid rows.
        var trusted: [KnownGeneration] = []
        /// The resources whose journals must be read, with their generations, the newest first.
        ///
        /// The first generation with a readable journal counts; older ones are removed.
        var doubtful: [ResourceID: [GenerationID]] = [:]
        /// The generations that were superseded or have no journal.
        var leftovers: [Leftover] = []
        /// The rows whose files are gone.
        var vanished: [KnownGeneration] = []
        /// The new versions of journals that were not finished.
        var unfinished: [StoredFileName] = []
        /// The largest name of a generation on the disk.
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

    /// Adds a file of the cache; files with other names do not belong to it.
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

    /// Makes the plan from the catalogue's rows, the least recently used first.
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

extension GenerationFiles {
    /// Compares the files with a catalogue that its owner did not close, and corrects both.
    ///
    /// Reads only the journals that have no row in the catalogue, or no valid one. Removes data
    /// files without a journal, superseded generations and unfinished journals. Leaves other
    /// programs' files, and files of a later version.
    ///
    /// - Returns: the generations, the least recently used first, and the name of the newest.
    /// - Throws: ``CacheError`` if a directory cannot be listed, or the catalogue cannot be
    ///   written.
    func compare(
        with catalogue: Catalogue,
        known: [KnownGeneration]
    ) throws(CacheError) -> ([KnownGeneration], GenerationID) {
        let plan = try self.survey().plan(known: known)
        let lastUses = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        var current = plan.trusted
        var rows: [CatalogueRow] = []
        var leftovers = plan.leftovers
        var vanished = plan.vanished
        for (id, candidates) in plan.doubtful {
            var (isFound, isUnreadable) = (false, false)
            for generation in candidates {
                guard !isFound else {
                    leftovers.append(.init(resource: id, generation: generation))
                    continue
                }
                switch self.read(id, generation, for: .reading) {
                case .sound(let journal, _):
                    let lastUse = lastUses[id]?.lastUse ?? journal.header.created
                    guard var row = CatalogueRow(journal, lastUse: lastUse, isChanging: false)
                    else { continue }
                    // The pin reaches a new generation's journal only a moment after its creation.
                    if lastUses[id]?.isPinned == true { row.isPinned = true }
                    rows.append(row)
                    current.append(KnownGeneration(row))
                    isFound = true
                case .unprovable:
                    leftovers.append(.init(resource: id, generation: generation))
                case .newer, .failed:
                    isUnreadable = true
                }
            }
            if !isFound, !isUnreadable, let row = lastUses[id] { vanished.append(row) }
        }
        try catalogue.remove(vanished.map { ($0.id, $0.generation) })
        try catalogue.put(rows)
        // The next start after a kill finds the files that cannot be removed now.
        for leftover in leftovers { try? self.remove(leftover.resource, leftover.generation) }
        for name in plan.unfinished { _ = try? self.disk.remove(name.path(in: self.directory)) }
        return (current.sorted { $0.lastUse < $1.lastUse }, plan.newest)
    }

    /// Makes rows from the readable journals, the least recently created first; changes no file.
    func rowsOfJournals() throws(CacheError) -> [CatalogueRow] {
        let plan = try self.survey().plan(known: [])
        var rows: [CatalogueRow] = []
        for (id, candidates) in plan.doubtful {
            for generation in candidates {
                guard case .sound(let journal, _) = self.read(id, generation, for: .reading),
                    let row = CatalogueRow(
                        journal,
                        lastUse: journal.header.created,
                        isChanging: false
                    )
                else { continue }
                rows.append(row)
                break
            }
        }
        return rows.sorted { ($0.lastUse, $0.id.description) < ($1.lastUse, $1.id.description) }
    }

    private func survey() throws(CacheError) -> DirectorySurvey {
        var survey = DirectorySurvey()
        for number in 0..<256 {
            let digits = String(number, radix: 16)
            let folder = digits.utf8.count == 1 ? "0" + digits : digits
            do throws(FileFailure) {
                for name in try self.disk.contents(ofDirectory: "\(self.directory)/\(folder)") {
                    guard name.hasPrefix(folder), let name = StoredFileName(name) else { continue }
                    survey.found(name)
                }
            } catch {
                // A file with the name of a folder does not belong to the cache.
                guard !SystemErrors.isNoDirectory(error.errno) else { continue }
                throw CacheError("read the cache directory", path: self.directory, failure: error)
            }
        }
        return survey
    }
}
