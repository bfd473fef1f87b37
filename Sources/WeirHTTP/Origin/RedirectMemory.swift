// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Remembers recent chains of redirects, so that a second request does not follow the same chain
/// again.
///
/// A player first requests an address as a station. If the response is a file, the player reads the
/// file from the end of the chain. A walk can be taken once, within 30 s, since links expire, and
/// only for the same address and headers. If a target refuses, the reading returns to the address
/// itself.
package final class RedirectMemory: Sendable {
    /// The end of a chain of redirects, with the cookies that were set on the way.
    struct Walk: Sendable {
        let from: OriginURL
        let headers: HTTPHeaderList
        let target: OriginExchange.Target
        let cookies: CookieJar
        /// The time until which the walk may be taken.
        var end: Duration = .zero
    }

    /// How long a walk may be taken.
    private static let lifetime = Duration.seconds(30)
    /// How many walks are kept; the oldest are dropped first.
    private static let maximumCount = 16

    private let timeline: Timeline
    private let walks = Mutex<[Walk]>([])

    /// Creates a memory without walks.
    package init(clock: any Clock<Duration> = ContinuousClock()) {
        self.timeline = Timeline(clock)
    }

    /// Records a chain that led to a response.
    func add(_ walk: Walk) {
        var walk = walk
        walk.end = self.timeline.elapsed() + Self.lifetime
        self.walks.withLock { walks in
            walks.removeAll { $0.from == walk.from && $0.headers == walk.headers }
            walks.append(walk)
            if walks.count > Self.maximumCount { walks.removeFirst() }
        }
    }

    /// Takes a recent walk from an address, if there is one.
    func take(from url: OriginURL, sending headers: HTTPHeaderList) -> Walk? {
        let now = self.timeline.elapsed()
        return self.walks.withLock { walks in
            walks.removeAll { $0.end < now }
            let index = walks.firstIndex { $0.from == url && $0.headers == headers }
            return index.map { walks.remove(at: $0) }
        }
    }
}
