// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A download of a command, as it stands in the queue of the cache folder.
///
/// The command reads the medium itself, and its reader leads: what the queue fetches is what the reader wants next. The
/// queue knows of what an interruption or a kill leaves, and goes on with it when the medium is opened again. Without a
/// queue, as where the folder cannot be written to, the command downloads as well.
struct QueuedDownload {
    private let media: Media
    private let queue: DownloadQueue
    private let adding: Task<Download.ID?, Never>?

    /// Puts a medium into the queue, beside its reader; not one that is whole already, or whose origin must not be asked.
    init(_ media: Media, of library: MediaLibrary) {
        let queue = library.downloads
        self.media = media
        self.queue = queue
        guard !library.configuration.isOffline, !media.availability.isComplete else {
            self.adding = nil
            return
        }
        // Owned by this value, whose `end(with:)` waits for it; ends when the queue has written the download down.
        self.adding = Task { try? await queue.add(media, isPinned: false) }
    }

    /// Takes the download out of the queue, unless it was interrupted or its origin may be reached another time.
    ///
    /// A medium whose origin failed is closed, since the queue would go on with it after its failure was reported.
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
