// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Where redirects have led a moment ago, so that one question walks a chain and the next, of another kind, does not.
///
/// A player asks an address as a station first. Where a file answers, the file is read from where that answer came. Each
/// walk is taken once, for the same address and the same headers, and soon: links expire. A target that refuses is left
/// for the address itself.
package final class RedirectMemory: Sendable {
    /// The end of a chain, and the cookies that were set on the way.
    struct Walk: Sendable {
        let from: OriginURL
        let headers: HTTPHeaderList
        let target: OriginExchange.Target
        let cookies: CookieJar
        /// Until when it may be taken.
        var end: Duration = .zero
    }

    /// For how long a walk may be taken.
    private static let lifetime = Duration.seconds(30)
    /// How many are kept; the oldest go first.
    private static let maximumCount = 16

    private let timeline: Timeline
    private let walks = Mutex<[Walk]>([])

    /// A memory without walks.
    package init(clock: any Clock<Duration> = ContinuousClock()) {
        self.timeline = Timeline(clock)
    }

    /// A chain was walked to an answer.
    func add(_ walk: Walk) {
        var walk = walk
        walk.end = self.timeline.elapsed() + Self.lifetime
        self.walks.withLock { walks in
            walks.removeAll { $0.from == walk.from && $0.headers == walk.headers }
            walks.append(walk)
            if walks.count > Self.maximumCount { walks.removeFirst() }
        }
    }

    /// Takes the walk from an address, if there was one a moment ago.
    func take(from url: OriginURL, sending headers: HTTPHeaderList) -> Walk? {
        let now = self.timeline.elapsed()
        return self.walks.withLock { walks in
            walks.removeAll { $0.end < now }
            let index = walks.firstIndex { $0.from == url && $0.headers == headers }
            return index.map { walks.remove(at: $0) }
        }
    }
}
