// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSharing
import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The downloads of a cache directory: media that are fetched whole, one after the other, and kept.
///
///     try await library.downloads.add(song)
///     for await downloads in library.downloads.snapshots() { show(downloads) }
///
/// The queue belongs to the directory, not to the library: every library and process that uses the directory sees and
/// commands the same one, and it is there after a restart or a kill. It is run by the process that owns the directory.
/// Only what is missing of a medium is fetched, and readers lead: while a player lacks bytes of a medium, its download
/// waits for them.
///
/// Neither an address nor a header nor a token is stored. After a restart a download waits for its medium
/// (``Download/Wait/source``) until the application asks the library for it again, with the same address and account. A
/// closure can do that, with the context that the application stored with the download (``resolve(_:)``). A medium that
/// another process of the directory opens counts, too. A suspended application does not download; it goes on when it runs
/// again.
///
/// Media whose origin fails for the moment are tried again after 2 s, 4 s and so on up to 5 min, and at once when the
/// network has become another one. A medium that changes at the origin is fetched anew. The queue holds 10,000 downloads.
public final class DownloadQueue: Sendable {
    /// Most bytes that an application stores with a download: 4096.
    public static let maximumContextCount = DownloadContext.maximumCount

    /// Most media that this process lends to a queue that another process runs: each is a connection.
    private static let maximumLent = 100

    private struct Lent {
        let media: Media
        /// Whether the queue has been seen to have it.
        var isKnown = false
    }

    private struct State {
        var lent: [String: Lent] = [:]
        var settings = DownloadSettings()
        var follower: Task<Void, Never>?
        var isClosed = false
    }

    private let access: CacheAccess
    /// Whether no origin may be asked.
    private let isOffline: Bool
    private let state = Mutex(State())
    private let resolver = DownloadResolver()

    init(_ access: CacheAccess, isOffline: Bool) {
        self.access = access
        self.isOffline = isOffline
    }

    deinit { self.state.withLock { $0.follower }?.cancel() }

    /// Puts a medium behind all others of the queue, to be fetched whole.
    ///
    /// A download of the medium that is there already keeps its place; it runs again if it was paused, had failed or was
    /// finished, and then fetches what is missing now. When the call returns, no power cut undoes it. The queue holds the
    /// medium until it is whole.
    ///
    /// - Parameters:
    ///   - media: a medium of the library.
    ///   - context: what the closure of ``resolve(_:)`` needs to make the medium again after a restart, such as the
    ///     identifier of the application's own record; at most ``maximumContextCount`` bytes. It is stored in the cache
    ///     folder in the clear, and must hold no credential. An empty one leaves the context of a download that is there.
    ///   - isPinned: whether it is kept whatever the library's limits are for as long as the download is in the queue, and
    ///     stored though its origin forbids that.
    /// - Returns: the download's identifier, that of the medium.
    /// - Throws: `SourceError` with `invalidRequest` for a medium that is kept nowhere, such as a file of this machine,
    ///   and for a context that is too long; `CacheError` with `exhausted` if the queue is full, with other codes if the
    ///   directory cannot be written to; `CancellationError`.
    @discardableResult
    public func add(
        _ media: Media,
        context: Data = Data(),
        isPinned: Bool = true
    ) async throws -> Download.ID {
        guard let key = media.key else {
            throw SourceError(
                .invalidRequest,
                "\(media.display) cannot be downloaded, since it is read where it lies."
            )
        }
        guard let context = DownloadContext(context) else {
            throw SourceError(
                .invalidRequest,
                "Could not add a download of \(media.display): its context has \(context.count) bytes, and"
                    + " \(Self.maximumContextCount) are allowed; store the identifier of your own record instead."
            )
        }
        let command = DownloadCommand.add(key, context: context, isKept: isPinned)
        try await self.access.perform(downloads: command)
        await self.lend(media, as: key.identifier)
        return key.identifier
    }

    /// Lets a download wait until it is resumed.
    ///
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func pause(_ id: Download.ID) async throws -> Bool {
        try await self.access.perform(downloads: .pause(id))
    }

    /// Has a download run that was paused, has failed or waits after a failure.
    ///
    /// Where it waits for its source then, the closure of ``resolve(_:)`` is asked again.
    ///
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func resume(_ id: Download.ID) async throws -> Bool {
        let number = self.resolver.lastNumber
        let isFound = try await self.access.perform(downloads: .resume(id))
        self.resolver.report(.resumed(id, after: number))
        return isFound
    }

    /// Lets all downloads wait that are not over.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func pauseAll() async throws {
        try await self.access.perform(downloads: .pauseAll)
    }

    /// Has all downloads run that are paused or wait after a failure; those that have failed stay as they are.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func resumeAll() async throws {
        try await self.access.perform(downloads: .resumeAll)
    }

    /// Gives a download another place in the order.
    ///
    /// Those that run go on.
    ///
    /// - Parameters:
    ///   - id: the download.
    ///   - place: how many downloads stand before it then; a number that is too large means the end.
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func move(_ id: Download.ID, to place: Int) async throws -> Bool {
        try await self.access.perform(downloads: .move(id, to: place))
    }

    /// Takes a download out of the queue.
    ///
    /// What is held stays, as far as the library's limits allow; a pin of the download's own goes with it.
    ///
    /// - Parameters:
    ///   - id: the download.
    ///   - deletingBytes: whether what is held of the medium is removed from the cache, too, a moment later.
    /// - Returns: whether there was such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func remove(_ id: Download.ID, deletingBytes: Bool = false) async throws -> Bool {
        self.release([id])
        return try await self.access.perform(
            downloads: .remove(id, deletingBytes: deletingBytes)
        )
    }

    /// Every download, in the order of the queue.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func all() async throws -> [Download] {
        try await self.access.downloads().map { Download($0) }
    }

    /// One download; `nil` if it is not in the queue.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func download(_ id: Download.ID) async throws -> Download? {
        try await self.all().first { $0.id == id }
    }

    /// Every download in the order of the queue, now and after each change, until the library is closed.
    ///
    /// A listener that is slow gets the newest list and misses those before it.
    public func snapshots() -> AsyncStream<[Download]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [Download].self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let lists = self.access.downloadSnapshots()
        // Owned by the stream, which cancels it; ends with the library.
        let task = Task {
            for await list in lists { continuation.yield(list.map { Download($0) }) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// How downloads end from now on, until the library is closed.
    ///
    /// However slow a listener is, it hears how each download ended last, unless the download was removed before. What
    /// was over at the beginning is not told; where another process owns the directory, it begins when that has answered.
    public func events() -> AsyncStream<DownloadEvent> {
        let listener = DownloadListener(
            self.access.downloadSnapshots(),
            first: self.access.ownDownloads.map { $0.map { Download($0) } }
        )
        return AsyncStream { await listener.next() }
    }

    /// What the network is; downloads run only where the policy allows it.
    ///
    ///     monitor.pathUpdateHandler = { path in
    ///         library.downloads.conditions = DownloadConditions(
    ///             isConnected: path.status == .satisfied,
    ///             isExpensive: path.isExpensive,
    ///             isConstrained: path.isConstrained
    ///         )
    ///     }
    ///
    /// The process that owns the directory is told. Readers are not concerned.
    public var conditions: DownloadConditions {
        get {
            let settings = self.state.withLock { $0.settings }
            return DownloadConditions(
                isConnected: settings.isConnected,
                isExpensive: settings.isExpensive,
                isConstrained: settings.isConstrained
            )
        }
        set {
            self.set { settings in
                settings.isConnected = newValue.isConnected
                settings.isExpensive = newValue.isExpensive
                settings.isConstrained = newValue.isConstrained
            }
        }
    }

    /// Which networks are used, and for how many downloads at once.
    ///
    /// The process that owns the directory is told.
    public var policy: DownloadPolicy {
        get {
            let settings = self.state.withLock { $0.settings }
            return DownloadPolicy(
                allowsExpensive: settings.allowsExpensive,
                allowsConstrained: settings.allowsConstrained,
                maximumRunning: settings.maximumRunning
            )
        }
        set {
            self.set { settings in
                settings.allowsExpensive = newValue.allowsExpensive
                settings.allowsConstrained = newValue.allowsConstrained
                settings.maximumRunning = newValue.maximumRunning
            }
        }
    }

    /// Hands over a closure that makes the medium of a download that waits for it.
    ///
    ///     library.downloads.resolve { [weak library] download in
    ///         let song = try await songs.find(download.context)
    ///         return library?.media(song.url, headers: ["Authorization": try await session.token()])
    ///     }
    ///
    /// The closure is called once for each such download, those of earlier runs of the application included. It is called
    /// a second time when the download is resumed, or when another closure is handed over. At most 4 calls run at once.
    /// A call that has run for 10 s no longer counts, so that one that never returns holds up only its own download, which
    /// goes on waiting. A call is cancelled when its download is removed, paused or over, when another closure is handed
    /// over, and when the library is closed, which does not wait for it. A library that is offline makes no calls.
    ///
    /// The queue holds the closure until the library is closed.
    ///
    /// - Parameter make: returns the medium of the library with the download's ``Download/id``, made with the same
    ///   address and account; `nil` if it has none now. If it throws, the download fails (``Download/State/failed(_:)``):
    ///   a `SourceError` is stored as it is, any other error becomes the cause of one. `CancellationError` is no failure.
    ///   A medium with another identifier fails the download with `invalidRequest`.
    public func resolve(_ make: @escaping @Sendable (_ download: Download) async throws -> Media?) {
        guard !self.isOffline else { return }
        self.resolver.use(make) { [weak self] id, result in
            switch result {
            case .success(let media): await self?.lend(media, as: id, isKnown: true)
            // One that cannot be reported goes on waiting.
            case .failure(let error):
                _ = try? await self?.access.perform(downloads: .fail(id, error))
            }
        }
        self.follow()
    }

    private func set(_ change: (inout DownloadSettings) -> Void) {
        let settings = self.state.withLock { state in
            change(&state.settings)
            return state.settings
        }
        self.access.use(settings)
    }
}

// The media that this process lends to the queue.
extension DownloadQueue {
    /// A medium was made, which a download may wait for.
    func opened(_ media: Media) {
        guard let key = media.key, self.access.needsSource(key.identifier) else { return }
        // Owned by no object; ends when the origin is lent, or cannot be.
        Task { await self.lend(media, as: key.identifier) }
    }

    /// Lends nothing more.
    func close() {
        let (follower, lent) = self.state.withLock { state in
            state.isClosed = true
            defer { (state.lent, state.follower) = ([:], nil) }
            return (state.follower, state.lent)
        }
        follower?.cancel()
        self.resolver.close()
        withExtendedLifetime(lent) {}
    }

    /// Lends a medium to the queue until its download is over; `isKnown`: the queue has been seen to have the download.
    private func lend(_ media: Media, as id: String, isKnown: Bool = false) async {
        guard !self.isOffline else { return }
        let (count, former) = self.state.withLock { state -> (Int, Lent?) in
            guard !state.isClosed else { return (.max, nil) }
            let former = state.lent.updateValue(
                Lent(media: media, isKnown: isKnown),
                forKey: id
            )
            return (state.lent.count, former)
        }
        withExtendedLifetime(former) {}
        guard count < .max else { return }
        if self.access.owner != nil || count <= Self.maximumLent { await media.lend() }
        self.follow()
    }

    private func release(_ ids: some Sequence<String>) {
        let released = self.state.withLock { state in
            ids.compactMap { state.lent.removeValue(forKey: $0) }
        }
        withExtendedLifetime(released) {}
    }

    /// Watches the queue, to lend again what another owner of the directory lacks, and to let go of what is over.
    private func follow() {
        self.state.withLock { state in
            guard !state.isClosed, state.follower == nil else { return }
            let lists = self.access.downloadSnapshots()
            // Owned by this object, which cancels it; ends with the library.
            state.follower = Task { [weak self] in
                for await list in lists {
                    guard let self else { return }
                    await self.took(list)
                }
            }
        }
    }

    private func took(_ list: [DownloadStatus]) async {
        let known = Dictionary(list.map { ($0.id, $0.state) }) { first, _ in first }
        let over = self.state.withLock { state in
            for id in state.lent.keys where known[id] != nil { state.lent[id]?.isKnown = true }
            return state.lent.filter { id, lent in
                known[id].map(\.isOver) ?? lent.isKnown
            }.keys
        }
        self.release(over)
        var room = self.access.owner == nil ? Self.maximumLent : .max
        for status in list where !status.state.isOver && room > 0 {
            guard let lent = self.state.withLock({ $0.lent[status.id]?.media }) else { continue }
            room -= 1
            if status.state == .waiting(.source) { await lent.lend() }
        }
        let lent = Set(self.state.withLock { $0.lent.keys })
        let wanted = list.filter { !$0.state.isOver }.map { Download($0) }
        self.resolver.report(.listed(wanted, lent: lent, room: room))
    }
}
