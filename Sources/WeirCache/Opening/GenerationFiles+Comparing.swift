// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension GenerationFiles {
    /// Compares the files with a catalogue that its owner did not close, and puts both right.
    ///
    /// Only journals that the catalogue does not know or cannot be believed on are read. Takes away
    /// data without a journal, superseded generations and unfinished journals; files that are not the
    /// store's, and those of a later version, are left.
    ///
    /// - Returns: what there is, the least recently used first, and the newest generation's name.
    /// - Throws: ``CacheError`` if a directory cannot be listed or the catalogue not written.
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
            var isFound = false
            for generation in candidates {
                guard !isFound else {
                    leftovers.append(.init(resource: id, generation: generation))
                    continue
                }
                switch self.read(id, generation) {
                case .sound(let journal):
                    let lastUse = lastUses[id]?.lastUse ?? journal.header.created
                    guard var row = CatalogueRow(journal, lastUse: lastUse, isChanging: false)
                    else { continue }
                    // A new generation's journal is told of the pin a moment after it is made.
                    if lastUses[id]?.isPinned == true { row.isPinned = true }
                    rows.append(row)
                    current.append(KnownGeneration(row))
                    isFound = true
                case .unprovable:
                    leftovers.append(.init(resource: id, generation: generation))
                case .newer, .failed:
                    break
                }
            }
            if !isFound, let row = lastUses[id] { vanished.append(row) }
        }
        try catalogue.remove(vanished.map { ($0.id, $0.generation) })
        try catalogue.put(rows)
        // What cannot be removed now is found again by the next start after a kill.
        for leftover in leftovers { try? self.remove(leftover.resource, leftover.generation) }
        for name in plan.unfinished { _ = try? self.disk.remove(name.path(in: self.directory)) }
        return (current.sorted { $0.lastUse < $1.lastUse }, plan.newest)
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
                // A file with the name of a folder is not ours.
                guard !SystemErrors.isNoDirectory(error.errno) else { continue }
                throw CacheError("read the cache directory", path: self.directory, failure: error)
            }
        }
        return survey
    }
}
