// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHTTP
import WeirSource

/// The cause of the error that ends a cut listing: the returned entries are valid, and the service
/// has more.
package struct IncompleteListing: Error {}

/// Limits a listing's pages, entries, and time without a new entry, whatever its service sends.
///
/// The listing returns the entries so far, then ends with a message about the cut. It drops the
/// entries that were already on the last page with a new entry. So a service that repeats a page
/// adds nothing.
struct BoundedListing {
    /// The bounds.
    struct Limits: Hashable, Sendable {
        /// The largest number of pages; a service sends some hundred entries on each.
        var pages = 20_000
        /// The largest number of entries.
        var entries = 2_000_000
        /// How many pages in a row may lack a new entry.
        var emptyPages = 1_000
        /// How long a listing may continue without a new entry, counted from the last new entry or
        /// from the first page.
        var silence = Duration.seconds(60)
    }

    /// Why a listing is cut.
    enum Cut: Hashable {
        case entries(Int)
        case pages(Int)
        case nothingNew(pages: Int)

        /// The message about the cut.
        func sentence(_ name: String, _ host: String) -> String {
            switch self {
            case .entries(let count):
                "The listing of \(name) is cut after \(count) entries, and \(host) has more; list a folder in it."
            case .pages(let count):
                "The listing of \(name) is cut after \(count) pages, and \(host) has more; list a folder in it."
            case .nothingNew(let pages):
                "The listing of \(name) is cut, because \(host) sent \(pages) pages in a row without a new entry and"
                    + " still has more; try again later, or list a folder in it."
            }
        }
    }

    private let limits: Limits
    private var pageCount = 0
    private var entryCount = 0
    private var emptyCount = 0
    private var lastNews: Duration?
    private var previous: Set<FolderEntry> = []

    init(_ limits: Limits) { self.limits = limits }

    /// Counts a page of the service, and drops its repeated entries.
    ///
    /// - Parameters:
    ///   - page: its entries.
    ///   - time: the time since any fixed moment.
    /// - Returns: the entries to return, and why the listing must end if another page is requested.
    mutating func received(_ page: [FolderEntry], at time: Duration) -> (
        entries: [FolderEntry], cut: Cut?
    ) {
        self.pageCount += 1
        let isNews = page.filter { !self.previous.contains($0) }
        let room = self.limits.entries - self.entryCount
        let entries = Array(isNews.prefix(room))
        self.entryCount += entries.count
        guard entries.count == isNews.count, self.entryCount < self.limits.entries else {
            return (entries, .entries(self.entryCount))
        }
        if isNews.isEmpty {
            self.emptyCount += 1
        } else {
            self.emptyCount = 0
            self.previous = Set(page)
        }
        let since = isNews.isEmpty ? self.lastNews ?? time : time
        self.lastNews = since
        if self.emptyCount >= self.limits.emptyPages
            || self.emptyCount > 0 && time - since >= self.limits.silence
        {
            return (entries, .nothingNew(pages: self.emptyCount))
        }
        return (entries, self.pageCount >= self.limits.pages ? .pages(self.pageCount) : nil)
    }

    /// The pages of a listing within the limits.
    static func bounded(
        _ pages: FolderPages,
        called name: String,
        at host: String,
        _ limits: Limits = Limits(),
        clock: any Clock<Duration>
    ) -> FolderPages {
        let timeline = Timeline(clock)
        return FolderPages {
            let next = pages.makeNext()
            // The state of one iteration, which makes one call at a time.
            let state = Mutex((listing: BoundedListing(limits), cut: Cut?.none))
            return {
                // The cut counts only if another page follows: a listing that ends here is
                // complete.
                guard let page = try await next() else { return nil }
                if let cut = state.withLock({ $0.cut }) {
                    throw SourceError(
                        .originFailed,
                        cut.sentence(name, host),
                        cause: IncompleteListing(),
                        host: host
                    )
                }
                return state.withLock { state in
                    let (entries, cut) = state.listing.received(page, at: timeline.elapsed())
                    state.cut = cut
                    return entries
                }
            }
        }
    }
}
