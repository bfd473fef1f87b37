// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// The download queue of a cache directory, in the process that owns it: performs what ``DownloadMachine`` decides.
final class DownloadRunner: Sendable {
    typealias Machine = DownloadMachine

    /// What is done in the order in which it was decided.
    private enum Step: Sendable {
        case effect(Machine.Effect)
        /// Tell the caller when all steps before this one are durable, or why the last of them is not.
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

    /// Raised whenever something that is shown has changed.
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
    ///   - observer: is told what is wrong with the file.
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

    /// Learns what is held of the downloads; what was removed, or went with the process that fetched it, is to be fetched
    /// again.
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

    /// Learns whose resources these are; nothing runs before.
    func serve(_ owner: CacheOwner) {
        self.owner.withLock { $0 = Weak(owner) }
    }

    /// Tells the machine an event, and does what follows.
    func report(_ event: Machine.Event) {
        let now = self.timeline.elapsed()
        self.machine.decide(
            performing: { self.perform($0) },
            { $1 += $0.handle(event, at: now).map { .effect($0) } }
        )
        if case .spaceFreed = event { self.journal.catchUp() }
    }

    /// Whether nothing runs any more.
    var isStopped: Bool { self.work.withLock { $0.isStopped } }

    /// Whether a download of this resource waits for somebody to lend its origin.
    func needsSource(_ id: String) -> Bool { self.state(of: id) == .waiting(.source) }

    /// What a download is doing; `nil` if it is not in the queue.
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

    /// Carries a command out; what it changes is durable when this returns.
    ///
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError` with `exhausted` where the queue is full; with other codes where the change could not be
    ///   written: a download is not added then, every other change holds for as long as this process owns the directory.
    func perform(_ command: DownloadCommand) async throws(CacheError) -> Bool {
        switch command {
        case .add(let key, let context, let isKept):
            return try await self.add(key, context, isKept: isKept)
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

    /// Returns when everything that the machine has decided is durable.
    ///
    /// Another caller may still be performing what was decided; asking the journal alone would not wait for that.
    ///
    /// - Throws: `CacheError`, if the last change is not durable.
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
        isKept: Bool
    ) async throws(CacheError) -> Bool {
        let id = key.identifier
        let isNew = !self.contains(id)
        self.report(.added(key, context: context, isKept: isKept))
        guard self.contains(id) else {
            throw CacheError(
                .exhausted,
                "Could not add a download: the queue has \(Machine.maximumCount) already; remove those that are finished."
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
    /// - Parameter isReplaced: whether the directory is another one already.
    func stop(isReplaced: Bool = false) {
        self.cancelAll()
        self.journal.close(
            CacheError(.closed, "The download queue was closed while it was used; open it again."),
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

    /// Does something with the cached bytes of a download that has gone, when that it has gone is durable.
    private func perform(afterRecords command: CacheCommand) {
        // Owned by no object; ends when the disk has answered. What fails can be done again by the user.
        Task { [cache, journal] in
            try? await journal.flush()
            _ = try? await command.perform(on: cache)
        }
    }

    private func wake(at time: Duration) {
        // Owned by this object, which cancels it; ends after the time.
        let task = Task { [timeline, weak self] in
            // What is left is known only when the task runs.
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
            // Owned by this object, which cancels it when the machine stops the run; ends with the download or its
            // failure.
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

    /// Fetches what is missing.
    ///
    /// - Returns: what came of it; `nil` if the run was stopped.
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
                try await resource.cached.fill(storesForbidden: entry.isKept) { description in
                    self.learned(description, id)
                    if entry.isKept { try await self.pin(id, run) }
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

    /// Keeps the resource from being evicted, unless the user does so already.
    ///
    /// That the pin is the download's own is written down first: a pin that nobody takes back would stay for ever.
    private func pin(_ id: String, _ run: Int) async throws {
        guard let holding = self.cache.holding(identifier: id), !holding.isPinned else { return }
        self.report(.pinning(id, run: run))
        try await self.flush()
        _ = try await CacheCommand.pin(id, true).perform(on: self.cache)
    }
}
