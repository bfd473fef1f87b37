// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirLive
internal import WeirSource

/// Fills the queue: item after item, so that the next is there before the last has been heard.
struct Feeder {
    private let core: PlayerCore
    private let run: PlayerRun

    init(_ core: PlayerCore, _ run: PlayerRun) {
        self.core = core
        self.run = run
    }

    /// Feeds until all items are over, or the task is cancelled.
    func feed() async {
        guard let (items, place) = self.core.assignment(self.run) else { return }
        do {
            for index in place.index..<max(place.index, items.count) {
                try await self.feed(items[index], index, index == place.index ? place : nil)
            }
            self.core.end(self.run)
        } catch {
            // Cancelled: another beginning feeds now, or none.
        }
    }

    // The place is where the player begins, if that is in this item.
    private func feed(_ item: PlayerItem, _ index: Int, _ place: PlayerPlace?) async throws {
        var queued = QueuedItem(index: index, name: item.name, position: .zero, isLive: false)
        switch item.content {
        case .media(let source):
            var start = item.start
            if case .position(let position)? = place?.spot { start = position }
            try await self.take(MediaFeed(item: queued, source: source, start: start), queued)
        case .station(let station):
            queued.isLive = true
            queued.position = place?.shown ?? .zero
            let listener: StationListener
            if case .behindLive(let distance)? = place?.spot {
                listener = station.listen(from: .behind(distance))
            } else {
                listener = station.listen()
            }
            self.run.setListener(listener)
            defer { listener.cancel() }
            try await self.watching(station) {
                try await self.take(StationFeed(item: queued, listener: listener), queued)
            }
        }
    }

    private func take(_ feed: sending any ItemFeed, _ item: QueuedItem) async throws {
        do {
            try await self.core.room(self.run)
            try self.core.push([.ahead(item)], self.run)
            while true {
                try await self.core.room(self.run)
                guard let entries = try await feed.next() else { return }
                self.core.tell { $0.opened(self.run.generation) }
                try self.core.push(entries, self.run)
            }
        } catch let failure as PlayerFailure {
            try self.core.push([.failed(failure, index: item.index)], self.run)
        } catch {
            // A source may say that it was cancelled when nobody has cancelled us: that must not end in silence.
            try Task.checkCancellation()
            let words = error is CancellationError ? "its reading was given up" : "\(error)"
            let failure = PlayerFailure(.source, "\(item.name): \(words)", cause: error)
            try self.core.push([.failed(failure, index: item.index)], self.run)
        }
    }

    /// Tells what the station's connection does while something is done.
    private func watching(
        _ station: Station,
        _ body: () async throws -> Void
    ) async throws {
        let core = self.core
        let run = self.run
        // Ends with the body below, which cancels it.
        let watch = Task(executorPreference: core.options.executor) {
            for await status in station.statusChanges() { core.changed(status, run) }
        }
        defer { watch.cancel() }
        try await body()
    }
}
