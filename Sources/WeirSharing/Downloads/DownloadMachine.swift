// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// Decides which downloads of a cache directory run, which wait, and what the queue's file stores.
///
/// An unfinished download that is not paused runs under four conditions: its origin is lent, the
/// network may be used, no pause after a failure remains, and fewer than
/// ``DownloadSettings/maximumRunning`` others run. The first in order starts first. Running
/// downloads are not stopped for others. The file stores the order, the user's settings and the
/// results. Whether a download runs or waits depends on the state of this process, and is
/// determined again after a restart.
///
/// A run has a number; reports of a stopped run are ignored.
struct DownloadMachine: Sendable {
    /// An event.
    enum Event: Hashable, Sendable {
        case added(ResourceKey, context: DownloadContext = .empty, isPinned: Bool)
        case paused(String)
        case resumed(String)
        case allPaused
        case allResumed
        case moved(String, to: Int)
        case removed(String, deletingBytes: Bool)
        case set(DownloadSettings)
        /// One more user lends the origin of a resource; `sourceTakenBack` means one user fewer.
        case sourceLent(String)
        case sourceTakenBack(String)
        /// The application cannot create the medium of a download that waits for its source.
        case sourceFailed(String, SourceError)
        /// A run is about to pin its resource, which the user has not pinned.
        case pinning(String, run: Int)
        /// A run has received bytes.
        case progressed(String, run: Int)
        case finished(String, run: Int)
        case broke(String, run: Int, DownloadSetback)
        /// A download that finished before this process took over the directory lacks bytes now.
        case lost(String)
        /// The cache may have room again.
        case spaceFreed
        /// The time of ``Effect/wake(at:)`` has come.
        case timePassed
    }

    /// An action for the shell.
    enum Effect: Hashable, Sendable {
        case start(String, run: Int)
        case stop(String)
        case record(DownloadRecord)
        case unpin(String)
        case deleteBytes(String)
        /// Report ``Event/timePassed`` at this time; replaces an earlier time.
        case wake(at: Duration)
        /// The displayed state has changed.
        case tell
    }

    /// The state of a download in this process, which the file does not store.
    private struct Activity {
        /// The number of its run, while it runs.
        var run: Int?
        /// How often in a row it failed, without a byte in between.
        var failures = 0
        /// When the download may be tried again, and the reason for waiting.
        var pause: (until: Duration, wait: DownloadState.Wait)?
    }

    /// The maximum number of downloads in a queue.
    static var maximumCount: Int { 10_000 }
    /// The pause after the first failure; it doubles with each further failure.
    static var firstPause: Duration { .seconds(2) }
    static var longestPause: Duration { .seconds(300) }
    /// How long a download waits for room before the next try.
    static var spacePause: Duration { .seconds(60) }
    /// How often in a row a resource may change, without a byte in between, before there is a
    /// pause.
    static var changesAtOnce: Int { 1 }

    private(set) var table: DownloadTable
    private(set) var settings = DownloadSettings()
    private var activities: [String: Activity] = [:]
    /// How many users lend the origin of each resource, in the queue or not.
    private var sources: [String: Int] = [:]
    private var lastRun = 0
    private var runningCount = 0
    /// The time for which the machine has requested an event.
    private var nextWake: Duration?

    /// Creates a machine for the stored queue.
    init(_ table: DownloadTable = DownloadTable()) {
        self.table = table
    }

    /// The state of a download; `nil` if it is not in the queue.
    func state(of id: String) -> DownloadState? {
        guard let entry = self.table[id] else { return nil }
        switch entry.outcome {
        case .finished: return .finished
        case .failed(let failure): return .failed(failure)
        case nil: break
        }
        if entry.isPaused { return .paused }
        let activity = self.activities[id]
        if activity?.run != nil { return .running }
        if self.sources[id] == nil { return .waiting(.source) }
        if !self.settings.mayFetch { return .waiting(.network) }
        if let pause = activity?.pause { return .waiting(pause.wait) }
        return .queued
    }

    /// The number of a download's run, while it runs.
    func run(of id: String) -> Int? { self.activities[id]?.run }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time, on a clock that only moves forward.
    /// - Returns: the effects, in order.
    mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        let effects = self.settle(event, at: now)
        if case .progressed = event { return effects }
        return effects + self.schedule(at: now)
    }

    private mutating func settle(_ event: Event, at now: Duration) -> [Effect] {
        switch event {
        case .added(let key, let context, let isPinned):
            return self.add(key, context, isPinned: isPinned)
        case .paused(let id): return self.pause(id)
        case .resumed(let id): return self.resume(id)
        case .allPaused: return self.table.order.flatMap { self.pause($0) }
        case .allResumed: return self.table.order.flatMap { self.resume($0, alsoFailed: false) }
        case .moved(let id, let place):
            guard self.table[id] != nil else { return [] }
            return self.record(.moved(id, to: min(max(0, place), self.table.count - 1))) + [.tell]
        case .removed(let id, let deletes): return self.remove(id, deletingBytes: deletes)
        case .set(let settings): return self.set(settings)
        case .sourceLent(let id):
            self.sources[id, default: 0] += 1
            guard self.table[id] != nil, self.sources[id] == 1 else { return [] }
            // The pause followed a failure of an earlier lender.
            self.activities[id]?.pause = nil
            return [.tell]
        case .sourceTakenBack(let id): return self.takeBack(id)
        case .sourceFailed(let id, let failure):
            // Another process may have lent the source in the meantime.
            guard self.state(of: id) == .waiting(.source) else { return [] }
            return self.end(id, .failed(failure.fittingRecord))
        case .pinning(let id, let run):
            guard self.isRun(run, of: id), var entry = self.table[id], !entry.hasPinned else {
                return []
            }
            entry.hasPinned = true
            return self.record(.entry(entry))
        case .progressed(let id, let run):
            guard self.isRun(run, of: id) else { return [] }
            self.activities[id]?.failures = 0
            return []
        case .finished(let id, let run):
            guard self.isRun(run, of: id) else { return [] }
            return self.end(id, .finished)
        case .broke(let id, let run, let setback):
            guard self.isRun(run, of: id) else { return [] }
            return self.broke(id, setback, at: now)
        case .lost(let id):
            guard var entry = self.table[id], entry.outcome == .finished else { return [] }
            entry.outcome = nil
            return self.record(.entry(entry)) + [.tell]
        case .spaceFreed:
            let waiting = self.activities.filter { $0.value.pause?.wait == .space }.keys
            for id in waiting { self.activities[id]?.pause = nil }
            return waiting.isEmpty ? [] : [.tell]
        case .timePassed:
            let due = self.activities.filter { $0.value.pause.map { $0.until <= now } ?? false }
            for id in due.keys { self.activities[id]?.pause = nil }
            return due.isEmpty ? [] : [.tell]
        }
    }

    private func isRun(_ run: Int, of id: String) -> Bool { self.activities[id]?.run == run }

    private mutating func record(_ record: DownloadRecord) -> [Effect] {
        self.table.apply(record)
        return [.record(record)]
    }
}

// The user's commands.
extension DownloadMachine {
    private mutating func add(_ key: ResourceKey, _ context: DownloadContext, isPinned: Bool)
        -> [Effect]
    {
        let id = key.identifier
        guard let known = self.table[id] else {
            guard self.table.count < Self.maximumCount else { return [] }
            let entry = DownloadEntry(key, context: context, isPinned: isPinned)
            return self.record(.entry(entry)) + [.tell]
        }
        var entry = known
        if context != .empty { entry.context = context }
        entry.isPinned = entry.isPinned || isPinned
        entry.isPaused = false
        entry.outcome = nil
        self.activities[id]?.pause = nil
        guard entry != known else { return [] }
        // A run that must now pin its resource is started again. It continues after the held bytes.
        let effects = entry.isPinned != known.isPinned ? self.stop(id) : []
        return effects + self.record(.entry(entry)) + [.tell]
    }

    private mutating func pause(_ id: String) -> [Effect] {
        guard var entry = self.table[id], entry.outcome == nil, !entry.isPaused else { return [] }
        entry.isPaused = true
        return self.stop(id) + self.record(.entry(entry)) + [.tell]
    }

    private mutating func resume(_ id: String, alsoFailed: Bool = true) -> [Effect] {
        guard var entry = self.table[id], entry.outcome != .finished else { return [] }
        guard alsoFailed || entry.outcome == nil else { return [] }
        let isWaiting = self.activities[id]?.pause != nil
        self.activities[id]?.pause = nil
        self.activities[id]?.failures = 0
        guard entry.isPaused || entry.outcome != nil else { return isWaiting ? [.tell] : [] }
        entry.isPaused = false
        entry.outcome = nil
        return self.record(.entry(entry)) + [.tell]
    }

    private mutating func remove(_ id: String, deletingBytes: Bool) -> [Effect] {
        guard let entry = self.table[id] else { return [] }
        var effects = self.stop(id) + self.record(.removed(id))
        self.activities[id] = nil
        if entry.hasPinned { effects.append(.unpin(id)) }
        if deletingBytes { effects.append(.deleteBytes(id)) }
        return effects + [.tell]
    }

    private mutating func set(_ settings: DownloadSettings) -> [Effect] {
        guard settings != self.settings else { return [] }
        let former = self.settings
        self.settings = settings
        var effects: [Effect] = []
        if !settings.mayFetch {
            for id in self.table.order { effects += self.stop(id) }
        } else if !former.mayFetch || settings.isConnected != former.isConnected
            || settings.isExpensive != former.isExpensive
        {
            // On another network, a failed download may succeed now.
            for (id, activity) in self.activities where activity.pause?.wait == .network {
                self.activities[id]?.pause = nil
            }
        }
        return effects + [.tell]
    }
}

// Events of downloads.
extension DownloadMachine {
    private mutating func takeBack(_ id: String) -> [Effect] {
        guard let count = self.sources[id] else { return [] }
        self.sources[id] = count > 1 ? count - 1 : nil
        guard count == 1, self.table[id] != nil else { return [] }
        return self.stop(id) + [.tell]
    }

    private mutating func broke(_ id: String, _ setback: DownloadSetback, at now: Duration)
        -> [Effect]
    {
        self.activities[id]?.failures += 1
        self.leave(id)
        let failures = self.activities[id]?.failures ?? 1
        let factor = 1 << min(failures - 1, 16)
        let pause = min(Self.firstPause * factor, Self.longestPause)
        switch setback {
        case .final(let failure): return self.end(id, .failed(failure.fittingRecord))
        case .changed where failures <= Self.changesAtOnce: break
        case .network, .changed, .sourceGone:
            self.activities[id]?.pause = (now + pause, .network)
        case .space: self.activities[id]?.pause = (now + Self.spacePause, .space)
        }
        return [.tell]
    }

    private mutating func end(_ id: String, _ outcome: DownloadEntry.Outcome) -> [Effect] {
        self.leave(id)
        self.activities[id] = nil
        guard var entry = self.table[id] else { return [] }
        entry.outcome = outcome
        return self.record(.entry(entry)) + [.tell]
    }

    private mutating func stop(_ id: String) -> [Effect] {
        guard self.activities[id]?.run != nil else { return [] }
        self.leave(id)
        return [.stop(id)]
    }

    private mutating func leave(_ id: String) {
        guard self.activities[id]?.run != nil else { return }
        self.activities[id]?.run = nil
        self.runningCount -= 1
    }

    /// Starts the downloads that may run, and requests the next event.
    private mutating func schedule(at now: Duration) -> [Effect] {
        var effects: [Effect] = []
        let maximum = max(1, self.settings.maximumRunning)
        if self.runningCount < maximum, self.settings.mayFetch, !self.sources.isEmpty {
            for id in self.table.order where self.runningCount < maximum {
                guard self.state(of: id) == .queued else { continue }
                self.lastRun += 1
                self.runningCount += 1
                self.activities[id, default: Activity()].run = self.lastRun
                effects.append(.start(id, run: self.lastRun))
            }
            if !effects.isEmpty { effects.append(.tell) }
        }
        let next = self.activities.values.compactMap { $0.pause?.until }.min()
        if let next, next != self.nextWake { effects.append(.wake(at: max(next, now))) }
        self.nextWake = next
        return effects
    }
}
