// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Generation {
    /// What came of a checkpoint.
    struct CheckpointOutcome: Sendable {
        /// Whether the journal says more than before.
        var hasSaved = false
        /// Why it does not.
        var failure: CacheError?
        /// How many bytes are no longer held.
        var lostCount: Int64 = 0
    }

    /// Makes everything written so far durable.
    ///
    /// First the data, then the journal's claim, so that the journal never says more than the disk
    /// holds. On the cache's queue only.
    ///
    /// - Parameters:
    ///   - disk: the file system.
    ///   - prepare: is called between the two, if there is something to claim.
    /// - Returns: what came of it.
    func saveUnsaved(_ disk: Disk, prepare: () -> Void) -> CheckpointOutcome {
        let batch = self.state.withLock { $0.startedCheckpoint() }
        guard !batch.isEmpty else { return CheckpointOutcome() }
        if !batch.runs.isEmpty {
            do throws(CacheError) {
                try self.file.synchronize()
            } catch {
                let lost = self.state.withLock { $0.lostData(of: batch, error) }
                return CheckpointOutcome(failure: error, lostCount: lost)
            }
        }
        prepare()
        do throws(CacheError) {
            try self.journal.withLock { journal throws(CacheError) in
                try self.claim(batch, in: &journal, disk)
            }
            return CheckpointOutcome(hasSaved: true)
        } catch {
            self.state.withLock { $0.lostJournal(of: batch, error) }
            return CheckpointOutcome(failure: error)
        }
    }

    /// Appends the batch to the journal, or writes the journal anew when it has become much longer
    /// than what it says: more than four records a run, and 256.
    private func claim(
        _ batch: GenerationState.Batch,
        in journal: inout JournalFile?,
        _ disk: Disk
    ) throws(CacheError) {
        guard journal != nil else { return }
        var records = batch.runs.ranges.map(JournalRecord.held)
        if let length = batch.length { records.insert(.length(length), at: 0) }
        let limit = 256 + 4 * self.state.withLock { $0.held.ranges.count }
        if (journal?.recordCount ?? 0) + records.count > limit {
            let (saved, length) = self.state.withLock { ($0.saved, $0.description.length) }
            try journal?.rewrite(held: saved, length: length, disk)
        } else {
            try journal?.append(records, disk)
        }
    }
}

extension Generation {
    /// Writes the journal anew, without the claims that it could not prove.
    ///
    /// On the cache's queue only, before anybody uses the generation.
    ///
    /// - Returns: whether that worked.
    func rewriteJournal(_ disk: Disk) -> Bool {
        let (held, length) = self.state.withLock { ($0.held, $0.description.length) }
        do throws(CacheError) {
            try self.journal.withLock { journal throws(CacheError) in
                try journal?.rewrite(held: held, length: length, disk)
            }
            return true
        } catch {
            return false
        }
    }
}
