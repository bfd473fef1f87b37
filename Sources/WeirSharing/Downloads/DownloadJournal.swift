// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WeirCache

/// The file of a queue: writes each change on a thread of its own, in their order, and makes it durable.
///
/// What could not be written is written with everything else when the next change is, or when the directory is let go
/// of. A file without a download in it is taken away.
final class DownloadJournal: Sendable {
    fileprivate struct State {
        var log: RecordLog
        /// What the file says, or would if it could be written.
        var table: DownloadTable
        /// Whether the file says less.
        var isBehind = false
        /// Why nothing is written from now on.
        var end: CacheError?
        /// Why the last change was not written.
        var failure: CacheError?
    }

    /// More records than downloads, beyond which the file is written anew.
    fileprivate static let slack = 256

    private let queue = DispatchQueue(label: "weir.downloads")
    private let state: Mutex<State>

    /// The queue as the file had it.
    let table: DownloadTable
    /// What was wrong with the file; what is a newer Weir's is left as it is, and nothing is written.
    let trouble: CacheError?

    /// Reads the file; waits for the disk.
    init(_ log: RecordLog) {
        var log = log
        var table = DownloadTable()
        var trouble: CacheError?
        var end: CacheError?
        do throws(CacheError) {
            for record in try log.read() {
                guard let record = DownloadRecord(record) else { continue }
                if case .entry(let entry) = record, table[entry.id] == nil,
                    table.count >= DownloadMachine.maximumCount
                {
                    continue
                }
                table.apply(record)
            }
        } catch {
            trouble = error
            // A file that was put aside makes room for another; one that could not be read may hold more than this knows.
            if error.code == .newerFormat || error.errno != nil { end = error }
        }
        self.table = table
        self.trouble = trouble
        self.state = Mutex(State(log: log, table: table, end: end))
    }

    /// Writes a change, later.
    func write(_ record: DownloadRecord) {
        self.queue.async {
            self.state.withLock { state in
                state.table.apply(record)
                state.failure = state.end ?? state.write(record)
            }
        }
    }

    /// Returns when all changes before this call are durable.
    ///
    /// - Throws: `CacheError`, if the last of them is not.
    func flush() async throws(CacheError) {
        let failure = await withCheckedContinuation { continuation in
            self.flush { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    /// Calls back when all changes before this call are durable.
    ///
    /// - Parameter done: is given what went wrong with the last of them; called on the journal's own thread.
    func flush(_ done: @escaping @Sendable (CacheError?) -> Void) {
        self.queue.async { done(self.state.withLock { $0.failure }) }
    }

    /// Tries again to write what could not be written, later.
    func catchUp() {
        self.queue.async {
            self.state.withLock { state in
                guard state.end == nil, state.isBehind else { return }
                state.failure = state.rewrite()
            }
        }
    }

    /// Writes what is left, and nothing from then on; waits for the disk.
    ///
    /// - Parameters:
    ///   - reason: why nothing is written any more.
    ///   - isReplaced: whether the directory is another one already, to which nothing of this queue may be written.
    func close(_ reason: CacheError, isReplaced: Bool = false) {
        guard !isReplaced else { return self.state.withLock { $0.end = $0.end ?? reason } }
        self.queue.sync {
            self.state.withLock { state in
                if state.end == nil, state.isBehind { _ = state.rewrite() }
                state.end = state.end ?? reason
            }
        }
    }
}

extension DownloadJournal.State {
    fileprivate mutating func write(_ record: DownloadRecord) -> CacheError? {
        do throws(CacheError) {
            let limit = 2 * self.table.count + DownloadJournal.slack
            let encoded = record.encoded
            if self.isBehind || self.table.count == 0 || self.log.recordCount > limit
                || !self.log.hasRoom(for: encoded)
            {
                return self.rewrite(after: record)
            }
            try self.log.append([encoded])
            return nil
        } catch {
            self.isBehind = true
            return error
        }
    }

    /// Writes the file anew, or takes it away.
    ///
    /// - Parameter record: a change that is to be durable before the file goes: to remove a file is not, by itself.
    /// - Returns: why it could not be written, if so.
    fileprivate mutating func rewrite(after record: DownloadRecord? = nil) -> CacheError? {
        do throws(CacheError) {
            if self.table.count == 0, !self.isBehind {
                if let record { try self.log.append([record.encoded]) }
                try self.log.remove()
            } else {
                try self.log.rewrite(self.table.all.map { DownloadRecord.entry($0).encoded })
            }
            self.isBehind = false
            return nil
        } catch {
            self.isBehind = true
            return error
        }
    }
}
