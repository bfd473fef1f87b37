// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

extension DownloadRunner {
    /// Every download, now and after each change, with a minimum pause between two lists.
    ///
    /// A slow listener gets the newest list only. Ends when the queue is closed.
    func snapshots(pause: Duration) -> AsyncStream<[DownloadStatus]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [DownloadStatus].self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // Owned by the stream, which cancels it.
        let task = Task { [weak self, changes, timeline] in
            var count = changes.count
            while !Task.isCancelled, let self, !self.isStopped {
                continuation.yield(self.statuses)
                guard let next = try? await changes.wait(after: count),
                    (try? await timeline.sleep(pause)) != nil
                else { break }
                count = next
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

// The download queue, in the process that owns the directory.
extension CacheAccess {
    /// The minimum time between two lists of the downloads.
    private static var downloadsPause: Duration { .milliseconds(100) }

    /// Carries out a command on the download queue; its changes are durable when the function
    /// returns.
    ///
    /// - Returns: whether the download exists.
    /// - Throws: `CacheError` if the directory cannot be used, the queue is full or the change
    ///   could not be written; `CancellationError`.
    @discardableResult
    package func perform(downloads command: DownloadCommand) async throws -> Bool {
        try await self.withOwner { owner in
            try await owner.downloads.perform(command)
        } elsewhere: { number in
            try await self.tellSettings(to: number)
            switch try await self.ask(.download(command)) {
            case .done(.found(let isFound)): return isFound
            case .downloads: return true
            default: throw PeerError.disconnected
            }
        }
    }

    /// Every download, in the order of the queue.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    package func downloads() async throws -> [DownloadStatus] {
        try await self.withOwner { owner in
            owner.downloads.statuses
        } elsewhere: { _ in
            guard case .downloads(let list) = try await self.ask(.download(.list)) else {
                throw PeerError.disconnected
            }
            return list
        }
    }

    /// Every download, if this process owns the directory.
    package var ownDownloads: [DownloadStatus]? { self.owner?.downloads.statuses }

    /// Sets the state of the network, and its permitted use, for the queue of this process or of
    /// the owner.
    package func use(_ settings: DownloadSettings) {
        self.downloadSettings.withLock { $0 = (settings, nil) }
        if let owner = self.owner { return owner.downloads.report(.set(settings)) }
        // An unstructured task: it ends when the owner has the settings, which are sent before
        // every command.
        Task { [weak self] in _ = try? await self?.perform(downloads: .list) }
    }

    /// Sends the user's settings to the owner with this number, unless it has them.
    ///
    /// Settings are sent one after the other, so that the newest arrive last.
    private func tellSettings(to number: Int) async throws {
        guard self.settingsUnheard(by: number) != nil else { return }
        let telling = self.settingsTelling.withLock { last in
            // Owned by this object; ends when the owner has answered, or its time is over.
            let telling = Task { [former = last] in
                _ = await former?.result
                guard let wanted = self.settingsUnheard(by: number) else { return }
                _ = try await self.ask(.download(.set(wanted)))
                self.downloadSettings.withLock { settings in
                    if settings.wanted == wanted { settings.hearer = number }
                }
            }
            last = telling
            return telling
        }
        try await telling.value
    }

    private func settingsUnheard(by number: Int) -> DownloadSettings? {
        self.downloadSettings.withLock { $0.hearer == number ? nil : $0.wanted }
    }

    /// Whether a download of this resource waits for its origin in the queue of this process.
    package func needsSource(_ id: String) -> Bool {
        self.owner?.downloads.needsSource(id) ?? false
    }

    /// Every download, now and after each change, in any owner's queue, until the access is closed.
    ///
    /// A slow listener gets the newest list only. While no directory can be used, the stream yields
    /// nothing.
    package func downloadSnapshots() -> AsyncStream<[DownloadStatus]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [DownloadStatus].self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // Owned by the stream, which cancels it.
        let task = Task { [weak self, changes] in
            while !Task.isCancelled {
                let count = changes.count
                guard let state = try? await self?.settledState() else { break }
                if case .closed = state { break }
                await self?.follow(state) { continuation.yield($0) }
                // A new owner, and the next attempt to open the directory, count as a change.
                guard case .owning = state else { continue }
                guard (try? await changes.wait(after: count)) != nil else { break }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Passes on the lists of the directory's owner, until there is another owner.
    private func follow(_ state: Machine.State, _ tell: ([DownloadStatus]) -> Void) async {
        switch state {
        case .owning(let owner):
            for await list in owner.downloads.snapshots(pause: Self.downloadsPause) { tell(list) }
        case .using(let number, _):
            if let connection = try? await self.address.connect(),
                (try? await connection.send(.watchDownloads)) != nil
            {
                // Owned by this call, which cancels it.
                let pulse = Task { await connection.keepAlive() }
                defer { pulse.cancel() }
                while case .message(let content)? = await connection.next() {
                    guard let message = try? Message(decoding: content) else {
                        connection.close()
                        return self.report(.ownerRefused(number, .otherVersion))
                    }
                    if case .downloads(let list) = message { tell(list) }
                }
                connection.close()
            }
            if !Task.isCancelled { self.report(.ownerLost(number)) }
        case .without:
            try? await self.timeline.sleep(.seconds(1))
        case .opening, .closed: break
        }
    }

    private func ask(_ message: Message) async throws -> Message {
        let connection = try await self.address.connect()
        defer { connection.close() }
        return try await connection.within(.seconds(10)) {
            try await connection.send(message)
            return try await connection.answer()
        }
    }
}

extension SharedSource {
    /// Lends the origin to the owner of the directory without reading, until the source is closed
    /// or the owner goes.
    ///
    /// - Throws: the errors of a reading.
    package func lend() async throws {
        try await self.withOwner { _ in }
    }
}
