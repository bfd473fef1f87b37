// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WeirCache

/// The file of a queue: writes each change on its own thread, in order, and makes it durable.
///
/// A change that could not be written is written later: with the next change, when the cache may
/// have room again, or when the directory is released. A file without downloads is removed.
final class DownloadJournal: Sendable {
    fileprivate struct State {
        var log: RecordLog
        /// The downloads with all changes, including those that could not be written to the file.
        var table: DownloadTable
        /// Whether the file lacks changes.
        var isBehind = false
        /// The reason why nothing is written from now on.
        var end: CacheError?
        /// The reason why the last change was not written.
        var failure: CacheError?
    }

    /// The number of records, in addition to two for each download, above which the file is
    /// rewritten.
    fileprivate static let slack = 256

    private let queue = DispatchQueue(label: "weir.downloads")
    private let state: Mutex<State>

    /// The downloads of the file when it was read.
    let table: DownloadTable
    /// The fault of the file, if any.
    ///
    /// Nothing is written to a file of a newer Weir, or to a file that could not be read or
    /// renamed.
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
            // A damaged file that was renamed makes room for a new one. Any other file may hold
            // downloads that this code cannot read, so nothing is written to it.
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

    /// Waits until all changes before this call are durable.
    ///
    /// - Throws: `CacheError` if the last change is not durable.
    func flush() async throws(CacheError) {
        let failure = await withCheckedContinuation { continuation in
            self.flush { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    /// Calls back when all changes before this call are durable.
    ///
    /// - Parameter done: gets the failure of the last change; called on the journal's own thread.
    func flush(_ done: @escaping @Sendable (CacheError?) -> Void) {
        self.queue.async { done(self.state.withLock { $0.failure }) }
    }

    /// Tries again, later, to write the changes that could not be written.
    func catchUp() {
        self.queue.async {
            self.state.withLock { state in
                guard state.end == nil, state.isBehind else { return }
                state.failure = state.rewrite()
            }
        }
    }

    /// Writes the remaining changes, and nothing after that; waits for the disk.
    ///
    /// - Parameters:
    ///   - reason: the error of later writes.
    ///   - isReplaced: whether the directory has been replaced, so that nothing of this queue may
    ///     be written to it.
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

    /// Rewrites the file, or removes it.
    ///
    /// - Parameter record: a change to make durable before the removal, since a removal alone is
    ///   not durable.
    /// - Returns: the failure, if there was one.
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
