// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// The download queue of a cache directory, in the process that owns it.
///
/// It performs the decisions of ``DownloadMachine``.
final class DownloadRunner: Sendable {
    typealias Machine = DownloadMachine

    /// The steps to perform, in order.
    private enum Step: Sendable {
        case effect(Machine.Effect)
        /// Resume the caller when all earlier steps are durable, with the failure of the last one.
        case flush(CheckedContinuation<CacheError?, Never>)
    }

    private struct Progress {
        var heldByteCount: Int64?
        var length: Int64?
    }

    private struct Work {
        var runs: [String: (number: Int, task: Task<Void, Never>)] = [:]
        var timer: Task<Void, Never>?
        var progress: [String: Progress] = [:]
        var isStopped = false
    }

    /// Raised after each change of the displayed state.
    let changes = Signal()

    private let cache: Cache
    let timeline: Timeline
    private let machine: EffectQueue<Machine, Step>
    private let journal: DownloadJournal
    private let work = Mutex(Work())
    private let owner = Mutex<Weak<CacheOwner>?>(nil)

    /// Reads the queue; waits for the disk.
    ///
    /// - Parameters:
    ///   - cache: the cache of the directory.
    ///   - timeline: measures the pauses.
    ///   - observer: receives an event if the file is faulty.
    init(_ cache: Cache, timeline: Timeline, observer: SourceObserver?) {
        let journal = DownloadJournal(cache.recordLog(DownloadRecord.format))
        self.cache = cache
        self.timeline = timeline
        self.journal = journal
        self.machine = EffectQueue(Machine(journal.table))
        if journal.table.count > 0, let listed = try? cache.resources() {
            self.compare(with: listed)
        }
        if let trouble = journal.trouble {
            observer?(.downloadsUnreadable(reason: trouble.message))
        }
    }

    deinit { self.cancelAll() }

    /// Compares the downloads with the cached bytes.
    ///
    /// A resource that was removed, or whose bytes were lost with the process that fetched them,
    /// must be fetched again.
    private func compare(with resources: [CachedResource]) {
        var whole: Set<String> = []
        self.work.withLock { work in
            for resource in resources where self.journal.table[resource.identifier] != nil {
                work.progress[resource.identifier] = Progress(length: resource.length)
                if resource.isComplete { whole.insert(resource.identifier) }
            }
        }
        for entry in self.journal.table.all
        where entry.outcome == .finished && !whole.contains(entry.id) {
            self.report(.lost(entry.id))
        }
    }

    /// Sets the owner of the resources; nothing runs before that.
    func serve(_ owner: CacheOwner) {
        self.owner.withLock { $0 = Weak(owner) }
    }

    /// Passes an event to the machine, and performs the effects.
    func report(_ event: Machine.Event) {
        let now = self.timeline.elapsed()
        self.machine.decide(
            performing: { self.perform($0) },
            { $1 += $0.handle(event, at: now).map { .effect($0) } }
        )
        if case .spaceFreed = event { self.journal.catchUp() }
    }

    /// Whether the queue was stopped.
    var isStopped: Bool { self.work.withLock { $0.isStopped } }

    /// Whether a download of this resource waits for a user to lend its origin.
    func needsSource(_ id: String) -> Bool { self.state(of: id) == .waiting(.source) }

    /// The state of a download; `nil` if it is not in the queue.
    func state(of id: String) -> DownloadState? { self.machine.withState { $0.state(of: id) } }

    /// Every download, in the order of the queue.
    var statuses: [DownloadStatus] {
        let rows = self.machine.withState { machine in
            machine.table.all.map { ($0, machine.state(of: $0.id) ?? .queued) }
        }
        let progress = self.work.withLock { $0.progress }
        return rows.map { entry, state in
            let known = state == .running ? progress[entry.id]?.heldByteCount : nil
            return DownloadStatus(
                id: entry.id,
                display: entry.key.display,
                account: entry.key.account,
                context: entry.context,
                state: state,
                heldByteCount: known ?? self.cache.holding(identifier: entry.id)?.heldCount ?? 0,
                length: progress[entry.id]?.length
            )
        }
    }

    /// Carries out a command; its changes are durable when the function returns.
    ///
    /// - Returns: whether the download exists.
    /// - Throws: `CacheError` with `exhausted` if the queue is full; with other codes if the change
    ///   could not be written. A new download is not added then. Every other change applies while
    ///   this process owns the directory.
    func perform(_ command: DownloadCommand) async throws(CacheError) -> Bool {
        switch command {
        case .add(let key, let context, let isPinned):
            return try await self.add(key, context, isPinned: isPinned)
        case .pause(let id): return try await self.change(id, .paused(id))
        case .resume(let id): return try await self.change(id, .resumed(id))
        case .pauseAll: self.report(.allPaused)
        case .resumeAll: self.report(.allResumed)
        case .move(let id, let place): return try await self.change(id, .moved(id, to: place))
        case .remove(let id, let deletes):
            return try await self.change(id, .removed(id, deletingBytes: deletes))
        case .fail(let id, let failure):
            return try await self.change(id, .sourceFailed(id, failure))
        case .set(let settings): self.report(.set(settings))
        case .list: return true
        }
        try await self.flush()
        return true
    }

    /// Waits until all decisions of the machine are durable.
    ///
    /// Another caller may still be performing effects, so waiting for the journal alone is not
    /// enough.
    ///
    /// - Throws: `CacheError` if the last change is not durable.
    func flush() async throws(CacheError) {
        let failure = await withCheckedContinuation { continuation in
            self.machine.decide(
                performing: { self.perform($0) },
                { _, steps in steps.append(.flush(continuation)) }
            )
        }
        if let failure { throw failure }
    }

    private func add(
        _ key: ResourceKey,
        _ context: DownloadContext,
        isPinned: Bool
    ) async throws(CacheError) -> Bool {
        let id = key.identifier
        let isNew = !self.contains(id)
        self.report(.added(key, context: context, isPinned: isPinned))
        guard self.contains(id) else {
            throw CacheError(
                .exhausted,
                "Could not add a download: the queue has \(Machine.maximumCount) already; remove the finished ones."
            )
        }
        do throws(CacheError) {
            try await self.flush()
        } catch {
            if isNew { self.report(.removed(id, deletingBytes: false)) }
            throw error
        }
        return true
    }

    private func change(_ id: String, _ event: Machine.Event) async throws(CacheError) -> Bool {
        guard self.contains(id) else { return false }
        self.report(event)
        try await self.flush()
        return true
    }

    private func contains(_ id: String) -> Bool {
        self.machine.withState { $0.table[id] != nil }
    }

    /// Stops all runs, and writes nothing more; waits for the disk.
    ///
    /// - Parameter isReplaced: whether the directory has been replaced.
    func stop(isReplaced: Bool = false) {
        self.cancelAll()
        self.journal.close(
            CacheError(
                .closed,
                "The download queue was closed while it was in use; open it again."
            ),
            isReplaced: isReplaced
        )
        self.changes.raise()
    }

    private func cancelAll() {
        let work = self.work.withLock { work in
            work.isStopped = true
            defer { (work.runs, work.timer) = ([:], nil) }
            return work
        }
        work.timer?.cancel()
        for run in work.runs.values { run.task.cancel() }
    }

    private func perform(_ step: Step) {
        switch step {
        case .effect(let effect): self.perform(effect)
        case .flush(let continuation):
            self.journal.flush { continuation.resume(returning: $0) }
        }
    }

    private func perform(_ effect: Machine.Effect) {
        switch effect {
        case .start(let id, let run): self.start(id, run)
        case .stop(let id):
            self.work.withLock { $0.runs.removeValue(forKey: id) }?.task.cancel()
        case .record(let record):
            if case .removed(let id) = record { self.work.withLock { $0.progress[id] = nil } }
            self.journal.write(record)
        case .unpin(let id): self.perform(afterRecords: .pin(id, false))
        case .deleteBytes(let id): self.perform(afterRecords: .remove(id))
        case .wake(let time): self.wake(at: time)
        case .tell: self.changes.raise()
        }
    }

    /// Carries out a command for a removed download, after its removal is durable.
    private func perform(afterRecords command: CacheCommand) {
        // An unstructured task: it ends when the disk has responded. The user can repeat a failed
        // command.
        Task { [cache, journal] in
            try? await journal.flush()
            _ = try? await command.perform(on: cache)
        }
    }

    private func wake(at time: Duration) {
        // Owned by this object, which cancels it; ends after the time.
        let task = Task { [timeline, weak self] in
            // The remaining time is known only when the task runs.
            let pause = max(.zero, time - timeline.elapsed())
            if (try? await timeline.sleep(pause)) != nil { self?.report(.timePassed) }
        }
        let former = self.work.withLock { work in
            guard !work.isStopped else { return task as Task<Void, Never>? }
            defer { work.timer = task }
            return work.timer
        }
        former?.cancel()
    }
}

// One run of one download.
extension DownloadRunner {
    private func start(_ id: String, _ run: Int) {
        guard let entry = self.machine.withState({ $0.table[id] }) else { return }
        self.work.withLock { work in
            guard !work.isStopped else { return }
            // Owned by this object, which cancels it when the machine stops the run; ends with the
            // download or its failure.
            let task = Task { [weak self] in
                guard let event = await self?.fetch(entry, run) else { return }
                self?.ended(id, run, event)
            }
            work.runs[id] = (run, task)
        }
    }

    private func ended(_ id: String, _ run: Int, _ event: Machine.Event) {
        self.work.withLock { work in
            guard work.runs[id]?.number == run else { return }
            work.runs[id] = nil
            work.progress[id]?.heldByteCount = nil
        }
        self.report(event)
    }

    /// Fetches the missing bytes.
    ///
    /// - Returns: the result; `nil` if the run was stopped.
    private func fetch(_ entry: DownloadEntry, _ run: Int) async -> Machine.Event? {
        let id = entry.id
        let owner = self.owner.withLock { $0?.object }
        guard let resource = owner?.resource(SharedResource(key: entry.key)) else {
            return .broke(id, run: run, .sourceGone)
        }
        resource.addUser()
        defer { _ = resource.removeUser() }
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { [self] in
                    for await availability in resource.cached.availabilityChanges() {
                        self.seen(availability, id, run)
                    }
                }
                try await resource.cached.fill(storesForbidden: entry.isPinned) { description in
                    self.learned(description, id)
                    if entry.isPinned { try await self.pin(id, run) }
                }
                group.cancelAll()
            }
            self.seen(resource.cached.availability, id, run)
            return .finished(id, run: run)
        } catch {
            return Task.isCancelled ? nil : .broke(id, run: run, DownloadSetback(error))
        }
    }

    private func learned(_ description: ResourceDescription, _ id: String) {
        guard let length = description.length else { return }
        self.work.withLock { $0.progress[id, default: Progress()].length = length }
        self.changes.raise()
    }

    private func seen(_ availability: Availability, _ id: String, _ run: Int) {
        let count = availability.held.byteCount
        let hasGrown = self.work.withLock { work in
            guard work.runs[id]?.number == run else { return false }
            var progress = work.progress[id] ?? Progress()
            let former = progress.heldByteCount
            progress.heldByteCount = count
            progress.length = availability.length ?? progress.length
            work.progress[id] = progress
            return former.map { count > $0 } ?? false
        }
        guard hasGrown else { return }
        self.report(.progressed(id, run: run))
        self.changes.raise()
    }

    /// Pins the resource, unless the user has done so.
    ///
    /// The file first records that the download has set the pin. Otherwise a crash could leave a
    /// pin that is never removed.
    private func pin(_ id: String, _ run: Int) async throws {
        guard let holding = self.cache.holding(identifier: id), !holding.isPinned else { return }
        self.report(.pinning(id, run: run))
        try await self.flush()
        _ = try await CacheCommand.pin(id, true).perform(on: self.cache)
    }
}
