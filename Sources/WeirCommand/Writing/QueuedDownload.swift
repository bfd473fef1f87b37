// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A command's download in the queue of the cache folder.
///
/// The command reads the medium itself, and its reader decides the order: the queue fetches the
/// bytes that the reader needs next. The queue records the download, so an interrupted or killed
/// download continues when the medium is opened again. Without a queue (say, if the folder is not
/// writable) the command downloads too.
struct QueuedDownload {
    private let media: Media
    private let queue: DownloadQueue
    private let adding: Task<Download.ID?, Never>?

    /// Adds a medium to the queue, unless it is complete or the library is offline.
    init(_ media: Media, of library: MediaLibrary) {
        let queue = library.downloads
        self.media = media
        self.queue = queue
        guard !library.configuration.isOffline, !media.availability.isComplete else {
            self.adding = nil
            return
        }
        // This value owns the task, and `end(with:)` waits for it. The task ends when the queue has
        // recorded the download.
        self.adding = Task { try? await queue.add(media, isPinned: false) }
    }

    /// Removes the download from the queue, unless it was interrupted or failed with a network
    /// error.
    ///
    /// After a network error, this method closes the medium; else the queue would continue the
    /// download after the command has reported the failure.
    func end(with error: (any Error)?) async {
        let isUnfinished = error.map { error in
            error is CancellationError || ExitStatus(for: error) == .network
        }
        if error is CancellationError { self.adding?.cancel() }
        let id = await self.adding?.value
        if let error, !(error is CancellationError), isUnfinished == true {
            await self.media.close()
        }
        guard let id, isUnfinished != true else { return }
        _ = try? await self.queue.remove(id)
    }
}
