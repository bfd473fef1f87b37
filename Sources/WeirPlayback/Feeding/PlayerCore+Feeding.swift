// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirSource

/// Makes queue entries from an item's content; used by one task.
protocol ItemFeed: AnyObject {
    /// The next entries, as many as one chunk of the source contains, possibly none.
    ///
    /// - Returns: `nil` when the item is over.
    /// - Throws: ``PlayerFailure``; `CancellationError`.
    func next() async throws -> [QueueEntry]?
}

/// Fills the queue item after item, so that the next item is ready before the last one has been
/// heard.
extension PlayerCore {
    /// Feeds item after item until the task is cancelled; after the last one it waits for another.
    func feed(_ run: PlayerRun) async {
        let first = self.withStore(of: run) { store in
            store.feedFirst().map { (entry: $0, start: store.start) }
        }
        guard let first = first ?? nil else { return }
        do {
            try await self.feed(first.entry, first.start, run)
            var id = first.entry.id
            while true {
                let next = try await self.entry(after: id, run)
                try await self.feed(next, nil, run)
                id = next.id
            }
        } catch {
            // Cancelled: another run feeds now, or none.
        }
    }

    /// Feeds one item, from the start point if the run begins in this item.
    private func feed(
        _ entry: ItemList.Entry,
        _ start: StartPoint?,
        _ run: PlayerRun
    ) async throws {
        var queued = QueuedItem(
            id: entry.id,
            name: entry.name ?? self.withStore { $0.name(of: entry.id) },
            isNameless: entry.name == nil
        )
        switch entry.item.content {
        case .media(let source):
            var position = entry.item.start
            if case .position(let other)? = start?.location { position = other }
            let feed = MediaFeed(
                item: queued,
                source: source,
                start: position,
                memory: entry.memory
            )
            try await self.take(feed, queued, run)
        case .station(let station):
            queued.isLive = true
            queued.position = start?.shown ?? .zero
            let listener: StationListener
            if case .behindLive(let distance)? = start?.location {
                // The time shift is searched by the arrival times of the bytes.
                queued.precision = .approximate
                listener = station.listen(from: .behind(distance))
            } else {
                listener = station.listen()
            }
            run.setListener(listener)
            // The item after the station has its own times.
            defer {
                listener.cancel()
                run.setListener(nil)
            }
            // Reports the status of the station's connection; ends with this function, which
            // cancels it.
            let watch = Task(executorPreference: self.options.executor) {
                for await _ in station.statusChanges() { self.tellStatus(of: station, run) }
            }
            defer { watch.cancel() }
            let feed = StationFeed(item: queued, listener: listener)
            try await self.take(feed, queued, of: station, run)
        }
    }

    /// Reports the status of the station's connection, if it has changed.
    ///
    /// It reads the status at this moment: a status from another task could be outdated.
    private func tellStatus(of station: Station, _ run: PlayerRun) {
        self.change(run) { store in
            let status = station.status
            if store.display.station != status { store.changed(status) }
        }
    }

    private func take(
        _ feed: sending any ItemFeed,
        _ item: QueuedItem,
        of station: Station? = nil,
        _ run: PlayerRun
    ) async throws {
        do {
            try await self.waitForRoom(run)
            try self.push([.ahead(item)], run)
            while true {
                try await self.waitForRoom(run)
                guard let entries = try await feed.next() else { return }
                // A connection's status comes before its sound.
                if let station { self.tellStatus(of: station, run) }
                self.decide { $0.opened(run.generation) }
                try self.push(entries, run)
            }
        } catch let failure as PlayerFailure {
            try self.push([.failed(failure, item.id)], run)
        } catch {
            // A source may throw a cancellation although the task was not cancelled: that counts as
            // an ordinary failure.
            try Task.checkCancellation()
            let reason = error is CancellationError ? "its reading was cancelled" : "\(error)"
            let failure = PlayerFailure(.source, "\(item.name): \(reason)", cause: error)
            try self.push([.failed(failure, item.id)], run)
        }
    }
}
