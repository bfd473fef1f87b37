// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// Owns a cache directory: keeps its resources for everybody who plays them, here and in other processes.
final class CacheOwner: Sendable {
    /// How many connections of others are answered at once; as many again may supply what was ordered.
    private static let longestQueue = 512

    let cache: Cache
    /// What has been asked of users who lend their origins.
    let orders = PendingRequests()

    private let socket: OwnerSocket
    private let observer: SourceObserver?
    private let sources = Mutex(RecentTable<KeptSource.Name, KeptSource>())
    private let uses = Mutex<(last: UInt64, all: [UInt64: KeptSource])>((0, [:]))
    private let sessionCount = Atomic(0)
    private let answering = Mutex<(task: Task<Void, Never>?, isStopped: Bool)>((nil, false))

    /// Takes a cache over, and answers others from now on.
    init(_ cache: Cache, observer: SourceObserver?) {
        self.cache = cache
        self.observer = observer
        self.socket = OwnerSocket(directory: cache.directory)
        // Owned by the owner, which cancels it.
        let task = Task { [socket, weak self] in
            await Self.answer(on: socket) { [weak self] in self }
        }
        self.answering.withLock { $0.task = task }
    }

    deinit {
        self.answering.withLock { $0.task?.cancel() }
    }

    /// The resource of a name, which everybody shares.
    ///
    /// Its policy is that of who asked first.
    func source(_ name: KeptSource.Name, policy: LoadPolicy) -> KeptSource {
        self.sources.withLock { sources in
            if let known = sources[name] { return known }
            let source = KeptSource(
                name.key,
                cache: self.cache,
                policy: policy,
                observer: self.observer
            )
            sources.add(source, for: name)
            return source
        }
    }

    /// Ends a resource that nobody plays any more.
    func end(_ source: KeptSource, _ name: KeptSource.Name) async {
        self.sources.withLock { $0.remove(source, for: name) }
        await source.cached.close()
    }

    /// Gives a use of a resource a number, under which other connections speak of it.
    func begin(_ source: KeptSource) -> UInt64 {
        self.uses.withLock { uses in
            uses.last += 1
            uses.all[uses.last] = source
            return uses.last
        }
    }

    /// The resource of a use.
    func source(ofUse number: UInt64) -> KeptSource? {
        self.uses.withLock { $0.all[number] }
    }

    /// Forgets a use.
    func end(use number: UInt64) {
        _ = self.uses.withLock { $0.all.removeValue(forKey: number) }
    }

    /// Turns to nobody any more: connections end, and whoever had one looks for another owner.
    ///
    /// - Parameter isReplaced: whether there is one already, to whom the socket belongs.
    func stopAnswering(isReplaced: Bool = false) {
        self.answering.withLock { answering in
            if !isReplaced, !answering.isStopped, self.cache.isInPlace { self.socket.remove() }
            answering.isStopped = true
            answering.task?.cancel()
            answering.task = nil
        }
    }

    /// Ends everything, and gives the directory to whoever comes next.
    func close() async {
        self.stopAnswering()
        let sources = self.sources.withLock { $0.all }
        for source in sources { await source.cached.close() }
        self.cache.close()
    }

    /// Whether one more connection may ask for something.
    var hasRoom: Bool { self.sessionCount.load(ordering: .relaxed) <= Self.longestQueue }

    /// Publishes something in the directory, unless this owner has stopped: then another may have taken its place.
    private func whileAnswering(_ work: () -> Bool) -> Bool {
        self.answering.withLock { !$0.isStopped && work() }
    }

    /// Counts one more connection, unless there are too many.
    private func mayAnswer() -> Bool {
        guard self.sessionCount.load(ordering: .relaxed) < 2 * Self.longestQueue else {
            return false
        }
        self.sessionCount.add(1, ordering: .relaxed)
        return true
    }

    /// Answers until the task is cancelled; the directory works without, for this process only.
    private static func answer(
        on socket: OwnerSocket,
        for owner: @escaping @Sendable () -> CacheOwner?
    ) async {
        let server = try? await socket.listen { work in owner()?.whileAnswering(work) ?? false }
        guard let server else { return }
        try? await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await channel in connections {
                    guard let owner = owner(), owner.mayAnswer() else {
                        channel.close()
                        continue
                    }
                    group.addTask {
                        await OwnerSession(owner: owner, channel: channel).run()
                        owner.sessionCount.subtract(1, ordering: .relaxed)
                    }
                }
            }
        }
    }
}
