// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSharing

/// Finds the downloads that have ended between two lists.
struct DownloadEnds: Sendable {
    private var ends: [Download.ID: Download.State]?
    private var events: [DownloadEvent] = []

    /// Compares the next list with the previous one, if there is one.
    mutating func take(_ list: [Download]) {
        let former = self.ends
        self.ends = [:]
        for download in list where download.isOver {
            self.ends?[download.id] = download.state
            guard let former, former[download.id] != download.state else { continue }
            if case .failed(let failure) = download.state {
                self.events.append(.failed(download, failure))
            } else {
                self.events.append(.finished(download))
            }
        }
    }

    /// The next event, if there is one.
    mutating func next() -> DownloadEvent? {
        self.events.isEmpty ? nil : self.events.removeFirst()
    }
}

/// One listener for the ends of downloads.
actor DownloadListener {
    private var lists: AsyncStream<[DownloadStatus]>.Iterator
    private var ends = DownloadEnds()

    /// - Parameters:
    ///   - lists: the queue's lists.
    ///   - first: the current list, if it is known.
    init(_ lists: AsyncStream<[DownloadStatus]>, first: [Download]?) {
        self.lists = lists.makeAsyncIterator()
        if let first { self.ends.take(first) }
    }

    /// Returns the next event; `nil` when the library was closed.
    ///
    /// Only one call may run at a time.
    func next() async -> DownloadEvent? {
        while true {
            if let event = self.ends.next() { return event }
            var lists = self.lists
            guard let list = await lists.next(isolation: self) else { return nil }
            self.lists = lists
            self.ends.take(list.map { Download($0) })
        }
    }
}
