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

/// The downloads of a cache directory: media that are fetched whole, in order, and stored.
///
///     try await library.downloads.add(song)
///     for await downloads in library.downloads.snapshots() { show(downloads) }
///
/// The queue belongs to the directory, not to the library. Every library and process that uses the
/// directory sees and changes the same queue, and the queue survives a restart or a kill. The
/// process that owns the directory runs the queue. It fetches only the missing bytes of a medium.
/// Readers have priority: while a player lacks bytes of a medium, the medium's download waits.
///
/// Addresses, headers and tokens are not stored. After a restart a download waits for its medium
/// (``Download/Wait/source``) until the application asks the library for the medium again, with the
/// same address and account. A closure can do that, with the context that the application stored
/// with the download (``resolve(_:)``). The download also runs when another process of the
/// directory opens the medium. A suspended application does not download; its downloads go on when
/// it runs again.
///
/// If an origin fails temporarily, the queue tries the medium again after 2 s, 4 s and so on up to
/// 5 min. It tries again at once when the network has changed. When a medium changes at the origin,
/// the queue fetches the whole medium again. The queue holds at most 10,000 downloads.
public final class DownloadQueue: Sendable {
    /// The largest context that an application can store with a download: 4096 bytes.
    public static let maximumContextCount = DownloadContext.maximumCount

    /// The most media whose origins this process lends to another process's queue: each needs a
    /// connection.
    private static let maximumLent = 100

    private struct Lent {
        let media: Media
        /// Whether a list of the queue has contained the download.
        var isKnown = false
    }

    private struct State {
        var lent: [String: Lent] = [:]
        var settings = DownloadSettings()
        var follower: Task<Void, Never>?
        var isClosed = false
    }

    private let access: CacheAccess
    /// Whether requests to origins are forbidden.
    private let isOffline: Bool
    private let state = Mutex(State())
    private let resolver = DownloadResolver()

    init(_ access: CacheAccess, isOffline: Bool) {
        self.access = access
        self.isOffline = isOffline
    }

    deinit { self.state.withLock { $0.follower }?.cancel() }

    /// Adds a medium at the end of the queue, to be fetched whole.
    ///
    /// If the queue already has a download of the medium, the download keeps its place. It runs
    /// again if it was paused, failed or finished, and fetches the bytes that are missing now. When
    /// the call returns, the change survives a power cut. The queue holds the medium until the
    /// download is complete.
    ///
    /// - Parameters:
    ///   - media: a medium of the library.
    ///   - context: the data that the closure of ``resolve(_:)`` needs to make the medium again
    ///     after a restart, such as the identifier of the application's own record; at most
    ///     ``maximumContextCount`` bytes. The cache folder stores it in the clear, so it must not
    ///     contain a credential. An empty context does not replace the context of an existing
    ///     download.
    ///   - isPinned: whether the cache keeps the medium regardless of the library's limits while
    ///     the download is in the queue, and stores it even if its origin forbids that.
    /// - Returns: the download's identifier, which is also the medium's.
    /// - Throws: `SourceError` with `invalidRequest` for a medium that the cache does not store,
    ///   such as a file of this machine, and for a context that is too long; `CacheError` with
    ///   `exhausted` if the queue is full, with other codes if the directory cannot be written to;
    ///   `CancellationError`.
    @discardableResult
    public func add(
        _ media: Media,
        context: Data = Data(),
        isPinned: Bool = true
    ) async throws -> Download.ID {
        guard let key = media.key else {
            throw SourceError(
                .invalidRequest,
                "\(media.display) cannot be downloaded, because Weir reads it in place."
            )
        }
        guard let context = DownloadContext(context) else {
            throw SourceError(
                .invalidRequest,
                "Could not add a download of \(media.display): its context has \(context.count) bytes, and"
                    + " \(Self.maximumContextCount) are allowed; store the identifier of your own record instead."
            )
        }
        let command = DownloadCommand.add(key, context: context, isPinned: isPinned)
        try await self.access.perform(downloads: command)
        await self.lend(media, as: key.identifier)
        return key.identifier
    }

    /// Pauses a download until it is resumed.
    ///
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func pause(_ id: Download.ID) async throws -> Bool {
        try await self.access.perform(downloads: .pause(id))
    }

    /// Resumes a download that was paused, has failed or waits after a failure.
    ///
    /// If it then waits for its source, Weir calls the closure of ``resolve(_:)`` again.
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

    /// Pauses all downloads that are not over.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func pauseAll() async throws {
        try await self.access.perform(downloads: .pauseAll)
    }

    /// Resumes all downloads that are paused or wait after a failure; failed downloads stay as they
    /// are.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func resumeAll() async throws {
        try await self.access.perform(downloads: .resumeAll)
    }

    /// Moves a download to another place in the order.
    ///
    /// Running downloads go on.
    ///
    /// - Parameters:
    ///   - id: the download.
    ///   - place: how many downloads are before it after the move; a number that is too large moves
    ///     it to the end.
    /// - Returns: whether there is such a download.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func move(_ id: Download.ID, to place: Int) async throws -> Bool {
        try await self.access.perform(downloads: .move(id, to: place))
    }

    /// Takes a download out of the queue.
    ///
    /// The held bytes stay, as far as the library's limits allow; the pin that the download set is
    /// removed.
    ///
    /// - Parameters:
    ///   - id: the download.
    ///   - deletingBytes: whether the cache also removes the held bytes of the medium, a moment
    ///     later.
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

    /// Every download in the order of the queue, now and after each change, until the library is
    /// closed.
    ///
    /// A slow listener gets the newest list and misses the older ones.
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

    /// Reports how downloads end from now on, until the library is closed.
    ///
    /// Even a slow listener gets the last end of each download, unless the download was removed
    /// before. The stream does not report downloads that are already over at the start. If another
    /// process owns the directory, the start is the moment when that process has answered.
    public func events() -> AsyncStream<DownloadEvent> {
        let listener = DownloadListener(
            self.access.downloadSnapshots(),
            first: self.access.ownDownloads.map { $0.map { Download($0) } }
        )
        return AsyncStream { await listener.next() }
    }

    /// The state of the network; downloads run only where the policy allows it.
    ///
    ///     monitor.pathUpdateHandler = { path in
    ///         library.downloads.conditions = DownloadConditions(
    ///             isConnected: path.status == .satisfied,
    ///             isExpensive: path.isExpensive,
    ///             isConstrained: path.isConstrained
    ///         )
    ///     }
    ///
    /// Weir reports the value to the process that owns the directory. The setting does not affect
    /// readers.
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
    /// Weir reports the value to the process that owns the directory.
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

    /// Sets a closure that makes the medium of a download that waits for its source.
    ///
    ///     library.downloads.resolve { [weak library] download in
    ///         let song = try await songs.find(download.context)
    ///         let headers = ["Authorization": try await session.token()]
    ///         return library?.media(song.url, headers: headers)
    ///     }
    ///
    /// Weir calls the closure once for each such download, including downloads from earlier runs of
    /// the application. It calls the closure again when the download is resumed, or when the
    /// application sets another closure. At most 4 calls run at once. After 10 s, a call no longer
    /// counts towards these 4. So a call that never returns blocks only its own download, which
    /// goes on waiting. Weir cancels a call when its download is removed, paused or over, when
    /// another closure is set, and when the library is closed. Closing does not wait for the call.
    /// A library that is offline makes no calls.
    ///
    /// The queue holds the closure until the library is closed.
    ///
    /// - Parameter make: returns the medium of the library with the download's ``Download/id``,
    ///   made with the same address and account; `nil` if it has no medium now. If it throws, the
    ///   download fails (``Download/State/failed(_:)``): a `SourceError` is stored as it is; any
    ///   other error becomes the cause of a `SourceError`. `CancellationError` is not a failure. A
    ///   medium with another identifier fails the download with `invalidRequest`.
    public func resolve(_ make: @escaping @Sendable (_ download: Download) async throws -> Media?) {
        guard !self.isOffline else { return }
        self.resolver.use(make) { [weak self] id, result in
            switch result {
            case .success(let media): await self?.lend(media, as: id, isKnown: true)
            // If the report fails, the download goes on waiting.
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
    /// Lends a new medium to the queue if a download may wait for it.
    func opened(_ media: Media) {
        guard let key = media.key, self.access.needsSource(key.identifier) else { return }
        // Owned by no object; ends when the origin is lent, or when lending fails.
        Task { await self.lend(media, as: key.identifier) }
    }

    /// Ends all lending.
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

    /// Lends a medium to the queue until its download is over; `isKnown`: a list has contained the
    /// download.
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

    /// Watches the queue: lends media again to a new owner, and releases the media of ended
    /// downloads.
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
