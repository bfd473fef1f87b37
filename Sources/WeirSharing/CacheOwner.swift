// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirCache
package import WeirLoader
import WeirSource

/// Identifies a resource, and says whether its origin may be asked.
package struct SharedResource: Hashable, Sendable {
    /// The resource's key in the cache.
    package var key: ResourceKey
    /// Whether the resource is played from the cache only.
    package var isOffline: Bool

    /// Names a resource.
    package init(key: ResourceKey, isOffline: Bool = false) {
        self.key = key
        self.isOffline = isOffline
    }
}

/// A resource that the owner of the cache keeps for all its users, in this process and in others.
final class OwnedResource: Sendable {
    /// The loader, in front of the cache.
    let cached: CachedSource
    /// The origins of all users.
    let origin: OriginPool

    private let userCount = Mutex(0)

    init(
        _ key: ResourceKey,
        origin: OriginPool,
        cache: Cache,
        policy: LoadPolicy,
        observer: SourceObserver?
    ) {
        self.origin = origin
        self.cached = CachedSource(
            origin: self.origin,
            key: key,
            cache: cache,
            policy: policy,
            observer: observer
        )
    }

    /// Counts one more user.
    func addUser() {
        self.userCount.withLock { $0 += 1 }
    }

    /// Counts one user less.
    ///
    /// - Returns: whether that was the last user.
    func removeUser() -> Bool {
        self.userCount.withLock { count in
            count -= 1
            return count == 0
        }
    }
}

/// Owns a cache directory: keeps its resources for all users, in this process and in others.
package final class CacheOwner: Sendable {
    /// How many requests are answered at once; the same number of further connections may supply
    /// orders.
    private static let longestQueue = 512

    package let cache: Cache
    /// The orders to users that lend their origins.
    let orders = PendingOrders()
    /// The download queue of the directory.
    let downloads: DownloadRunner
    /// The texts that the processes load together.
    let texts = SharedTexts()
    let timeline: Timeline

    private let endpoint: (any OwnerEndpoint)?
    private let observer: SourceObserver?
    private let resources = Mutex(RecentTable<SharedResource, OwnedResource>())
    private let uses = Mutex<(last: UInt64, all: [UInt64: OwnedResource])>((0, [:]))
    private let sessionCount = Atomic(0)
    private let answering = Mutex<(task: Task<Void, Never>?, isStopped: Bool)>((nil, false))

    /// Takes over a cache, and answers other processes from now on.
    init(
        _ cache: Cache,
        endpoint: (any OwnerEndpoint)?,
        timeline: Timeline,
        observer: SourceObserver?
    ) {
        self.cache = cache
        self.timeline = timeline
        self.observer = observer
        self.endpoint = endpoint
        self.downloads = DownloadRunner(cache, timeline: timeline, observer: observer)
        self.downloads.serve(self)
        // A directory without an endpoint has only one process.
        guard let endpoint else { return }
        // Owned by this object, which cancels it.
        let task = Task { [weak self] in
            await Self.answer(at: endpoint, timeline) { [weak self] in self }
        }
        self.answering.withLock { $0.task = task }
    }

    deinit {
        self.answering.withLock { $0.task?.cancel() }
    }

    /// Returns the resource of a name, the same for all users; it has the first user's policy.
    func resource(_ name: SharedResource, policy: LoadPolicy) -> OwnedResource {
        self.resources.withLock { resources in
            if let known = resources[name] { return known }
            let id = name.key.identifier
            let origin = OriginPool { [weak downloads] isLent in
                guard !name.isOffline else { return }
                downloads?.report(isLent ? .sourceLent(id) : .sourceTakenBack(id))
            }
            let resource = OwnedResource(
                name.key,
                origin: origin,
                cache: self.cache,
                policy: policy,
                observer: self.observer
            )
            resources.add(resource, for: name)
            return resource
        }
    }

    /// Returns the resource of a name, if it has users or is one of the last that were added.
    func resource(_ name: SharedResource) -> OwnedResource? {
        self.resources.withLock { $0[name] }
    }

    /// The running requests, by the identifier of the resource.
    package func fetchActivities() async -> [String: [FetchActivity]] {
        var found: [String: [FetchActivity]] = [:]
        for resource in self.resources.withLock({ $0.all }) {
            let activities = await resource.cached.fetchActivities()
            if !activities.isEmpty { found[resource.cached.identifier, default: []] += activities }
        }
        return found
    }

    /// Ends a resource that has no users any more.
    func end(_ resource: OwnedResource, _ name: SharedResource) async {
        self.resources.withLock { $0.remove(resource, for: name) }
        await resource.cached.close()
    }

    /// Returns a number by which other connections refer to this use of a resource.
    func begin(_ resource: OwnedResource) -> UInt64 {
        self.uses.withLock { uses in
            uses.last += 1
            uses.all[uses.last] = resource
            return uses.last
        }
    }

    /// Returns the resource of a use.
    func resource(ofUse number: UInt64) -> OwnedResource? {
        self.uses.withLock { $0.all[number] }
    }

    /// Removes a use.
    func end(use number: UInt64) {
        _ = self.uses.withLock { $0.all.removeValue(forKey: number) }
    }

    /// Stops answering: connections end, and their processes look for another owner.
    ///
    /// - Parameter isReplaced: whether another owner already has the endpoint.
    package func stopAnswering(isReplaced: Bool = false) {
        self.downloads.stop(isReplaced: isReplaced)
        self.answering.withLock { answering in
            if !isReplaced, !answering.isStopped, self.cache.isInPlace {
                self.endpoint?.remove()
            }
            answering.isStopped = true
            answering.task?.cancel()
            answering.task = nil
        }
    }

    /// Ends everything, and releases the directory.
    func close() async {
        // The result of a download may not be written yet. If it cannot be written, the next owner
        // determines it again.
        try? await self.downloads.flush()
        self.stopAnswering()
        let resources = self.resources.withLock { $0.all }
        for resource in resources { await resource.cached.close() }
        self.cache.close()
    }

    /// Whether one more connection may make a request.
    fileprivate var acceptsRequest: Bool {
        self.sessionCount.load(ordering: .relaxed) <= Self.longestQueue
    }

    /// Publishes a file in the directory, unless this owner has stopped and may have been replaced.
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

    /// Answers until the task is cancelled; if that fails, only this process can use the directory.
    private static func answer(
        at endpoint: any OwnerEndpoint,
        _ timeline: Timeline,
        for owner: @escaping @Sendable () -> CacheOwner?
    ) async {
        try? await endpoint.serve(
            publish: { work in owner()?.whileAnswering(work) ?? false },
            answer: { channel in
                let connection = PeerConnection(channel, timeline: timeline)
                guard let owner = owner(), owner.mayAnswer() else { return connection.close() }
                await OwnerSession(owner: owner, connection: connection).run()
                owner.sessionCount.subtract(1, ordering: .relaxed)
            }
        )
    }
}

/// A connection of another process, as the owner of the directory sees it.
private struct OwnerSession: Sendable {
    /// How long a process may be connected without a request.
    private static let patience = Duration.seconds(10)
    /// The minimum time between two messages about the cached bytes.
    private static let announcementPause = Duration.milliseconds(50)

    let owner: CacheOwner
    let connection: PeerConnection

    /// Answers the request, until it is done or the other end has gone.
    func run() async {
        let frame = try? await self.connection.within(Self.patience) {
            await self.connection.next()
        }
        guard case .message(let content)? = frame else { return }
        guard let request = try? Message(decoding: content) else {
            return await self.connection.refuse()
        }
        if case .supply(let order) = request {
            return self.owner.orders.supply(order, with: self.connection)
        }
        guard self.owner.acceptsRequest else { return await self.turnAway() }
        switch request {
        case .use(let name, let policy):
            await self.lend(name, policy)
        case .read(let use, let demand):
            guard let resource = self.owner.resource(ofUse: use) else {
                return await self.turnAway()
            }
            await self.connection.send(reading: { try await resource.cached.read(demand) })
        case .describe(let use):
            guard let resource = self.owner.resource(ofUse: use) else {
                return await self.turnAway()
            }
            await self.connection.send(answer: { .described(try await resource.cached.describe()) })
        case .held(let use):
            guard let resource = self.owner.resource(ofUse: use) else {
                return await self.turnAway()
            }
            await self.connection.send(answer: {
                await resource.cached.openHeld()
                return .availability(resource.cached.availability)
            })
        case .download(let command):
            await self.connection.send(answer: { [downloads = self.owner.downloads] in
                guard command != .list else { return .downloads(downloads.statuses) }
                return .done(.found(try await downloads.perform(command)))
            })
        case .watchDownloads: await self.showDownloads()
        case .shareText(let key, let number): await self.share(key, after: number)
        case .command(let command):
            // Owned by this call, which cancels it. Comparing may take minutes, and the user needs
            // to know that the owner is alive.
            let pulse = Task { [connection] in await connection.pulse() }
            await self.connection.send(answer: { [cache = self.owner.cache] in
                .done(try await command.perform(on: cache))
            })
            pulse.cancel()
        default: await self.connection.refuse()
        }
    }

    /// Asks the other process to try again.
    private func turnAway() async {
        try? await self.connection.send(.failure(PeerError.disconnected))
        self.connection.close()
    }

    /// Lets a user play a resource, and borrows the user's origin, while the connection lasts.
    private func lend(_ name: SharedResource, _ policy: LoadPolicy) async {
        let resource = self.owner.resource(name, policy: policy)
        let origin = RemoteOrigin(self.connection, self.owner.orders, self.owner.timeline)
        let lease = resource.origin.lend(origin)
        resource.addUser()
        let number = self.owner.begin(resource)
        defer {
            origin.end()
            self.owner.end(use: number)
            _ = resource.removeUser()
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                try? await self.connection.send(.using(number, self.owner.cache.limits))
                await self.connection.keepAlive()
            }
            var isWatching = false
            while case .message(let content)? = await self.connection.next() {
                guard case .watch? = try? Message(decoding: content), !isWatching else { continue }
                isWatching = true
                group.addTask { await self.announce(resource) }
            }
            group.cancelAll()
        }
        withExtendedLifetime(lease) {}
    }

    /// Sends the state of the download queue after each change, while the connection lasts.
    private func showDownloads() async {
        await withTaskGroup { group in
            group.addTask { await self.connection.keepAlive() }
            // The other end only sends messages that it is alive.
            group.addTask { while await self.connection.next() != nil {} }
            group.addTask { [owner] in
                let pause = Self.announcementPause
                for await statuses in owner.downloads.snapshots(pause: pause * 4) {
                    guard (try? await self.connection.send(.downloads(statuses))) != nil else {
                        return
                    }
                }
            }
            await group.next()
            group.cancelAll()
        }
        self.connection.close()
    }

    /// Sends a text, or lets the user load it for all processes.
    private func share(_ key: String, after number: UInt64) async {
        defer { self.connection.close() }
        switch try? await self.owner.texts.ask(for: key, after: number) {
        case .text(let text, let number):
            try? await self.connection.send(.text(text, number: number))
        case .load(let ticket):
            // Other processes do not wait for a slow one, so its text may take its time.
            let text = try? await self.connection.within(.seconds(60)) { () -> SharedText? in
                try await self.connection.send(.loadText(number: ticket.number))
                guard case .text(let text, _) = try await self.connection.answer() else {
                    return nil
                }
                return text
            }
            self.owner.texts.end(ticket, with: text ?? nil)
        case .wait, nil: break
        }
    }

    /// Sends the cached ranges after each change.
    private func announce(_ resource: OwnedResource) async {
        for await availability in resource.cached.availabilityChanges() {
            guard (try? await self.connection.send(.availability(availability))) != nil,
                (try? await self.owner.timeline.sleep(Self.announcementPause)) != nil
            else { return }
        }
    }
}
