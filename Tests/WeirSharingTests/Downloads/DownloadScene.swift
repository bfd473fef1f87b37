// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirCacheTestSupport
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing

/// A cache folder and the queue of its owner, with a test's clock; this process lends the origins.
final class DownloadScene: Sendable {
    static let length: Int64 = 400_000

    let folder: TemporaryDirectory
    let files: ScriptedFiles
    let clock = ManualClock()
    let owner: CacheOwner
    /// The events that the observer received.
    let events: Watched<[SourceEvent]>

    private let lent = Mutex<[(OwnedResource, OriginPool.OriginLease)]>([])

    init(
        _ folder: TemporaryDirectory = TemporaryDirectory(),
        _ files: ScriptedFiles = ScriptedFiles()
    ) throws {
        let events = Watched<[SourceEvent]>([])
        let runner = Weakly()
        let observer: SourceObserver = { event in
            events.update { $0.append(event) }
            if case .cacheRecovered = event { runner.object?.report(.spaceFreed) }
        }
        self.folder = folder
        self.files = files
        self.events = events
        let cache = try Cache(directory: folder.path, observer: observer, files: files)
        let timeline = Timeline(self.clock)
        self.owner = CacheOwner(
            cache,
            // The scene has only one process.
            endpoint: nil,
            timeline: timeline,
            observer: observer
        )
        runner.set(self.owner.downloads)
    }

    private final class Weakly: Sendable {
        private let state = Mutex<Weak<DownloadRunner>?>(nil)
        var object: DownloadRunner? { self.state.withLock { $0?.object } }
        func set(_ runner: DownloadRunner) { self.state.withLock { $0 = Weak(runner) } }
    }

    var queue: DownloadRunner { self.owner.downloads }

    static func key(_ number: Int) -> ResourceKey { DownloadMachineTests.key(number) }
    static func id(_ number: Int) -> String { self.key(number).identifier }

    /// Lends an origin, until the scene ends.
    func lend(_ number: Int, _ origin: any ByteSource) {
        let resource = self.owner.resource(
            SharedResource(key: Self.key(number)),
            policy: SharingScene.policy
        )
        let lease = resource.origin.lend(origin)
        self.lent.withLock { $0.append((resource, lease)) }
    }

    /// Takes all origins back.
    func takeBack() {
        let lent = self.lent.withLock { lent in
            defer { lent = [] }
            return lent
        }
        withExtendedLifetime(lent) {}
    }

    func add(_ number: Int, isPinned: Bool = true) async throws {
        _ = try await self.queue.perform(.add(Self.key(number), isPinned: isPinned))
    }

    func state(_ number: Int) -> DownloadState? { self.queue.state(of: Self.id(number)) }

    func status(_ number: Int) -> DownloadStatus? {
        self.queue.statuses.first { $0.id == Self.id(number) }
    }

    /// Advances the time whenever a task waits for it.
    ///
    /// One step is not enough. A run that began before the disk had room again may have failed once more, and a
    /// replaced timer may still sleep beside its successor.
    ///
    /// - Returns: the task that advances the time; the test cancels it.
    func passTime(by step: Duration) -> Task<Void, Never> {
        Task { [clock] in
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: step)
                await Task.yield()
            }
        }
    }

    /// Waits until a download is in a state.
    func wait(_ number: Int, for state: DownloadState) async throws {
        try await self.wait { self.state(number) == state }
    }

    /// Waits until the queue is in the wanted state.
    func wait(until isDue: () -> Bool) async throws {
        while true {
            let count = self.queue.changes.count
            if isDue() { return }
            try await self.queue.changes.wait(after: count)
        }
    }

    /// The scene after a restart; after a kill, the calls that end the process properly are missing.
    func restarted(isKilled: Bool = false) async throws -> DownloadScene {
        self.takeBack()
        if isKilled { self.queue.stop() }
        await self.owner.close()
        return try DownloadScene(self.folder, self.files)
    }
}
