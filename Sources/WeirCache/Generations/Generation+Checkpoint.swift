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
    /// holds. What is written after the data began to be synchronized belongs to the next checkpoint. While
    /// ``saving`` is held only.
    ///
    /// - Parameters:
    ///   - disk: the file system.
    ///   - prepare: is called between the two, if there is something to claim.
    /// - Returns: what came of it.
    func saveUnsaved(_ disk: Disk, prepare: () -> Void) -> CheckpointOutcome {
        let recordCount = self.journal.withLock { $0?.recordCount ?? 0 }
        let (batch, file) = self.state.withLock { state in
            let batch = state.startedCheckpoint(recordCount: recordCount)
            defer { state.unsavedFile = nil }
            return (batch, state.unsavedFile)
        }
        guard !batch.isEmpty else { return CheckpointOutcome() }
        if !batch.runs.isEmpty {
            do throws(CacheError) {
                if let file { try file.synchronize() } else { try self.openedFile().synchronize() }
            } catch {
                let lost = self.state.withLock { $0.lostData(of: batch, error) }
                return CheckpointOutcome(failure: error, lostCount: lost)
            }
        }
        prepare()
        do throws(CacheError) {
            try self.journal.withLock { journal throws(CacheError) in
                if batch.replacesJournal {
                    try journal?.rewrite(batch.records, disk)
                } else {
                    try journal?.append(batch.records, disk)
                }
            }
            return CheckpointOutcome(hasSaved: true)
        } catch {
            self.state.withLock { $0.lostJournal(of: batch, error) }
            return CheckpointOutcome(failure: error)
        }
    }
}

extension Generation {
    /// Writes the journal anew, without the claims that it could not prove.
    ///
    /// Before anybody uses the generation.
    ///
    /// - Returns: whether that worked.
    func rewriteJournal(_ disk: Disk) -> Bool {
        let records = self.state.withLock { $0.records }
        do throws(CacheError) {
            try self.journal.withLock { journal throws(CacheError) in
                try journal?.rewrite(records, disk)
            }
            return true
        } catch {
            return false
        }
    }
}
