// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// A running request to an origin, for code that shows it.
package struct FetchActivity: Hashable, Sendable {
    /// The state of a request.
    package enum State: String, Hashable, Sendable {
        /// The request was sent; there is no response yet.
        case opening
        /// Bytes are received as they arrive.
        case running
        /// Bytes stay in the connection until a reader wants them.
        case paused
        /// No reader wants the request; it ends soon.
        case lingering
    }

    /// The reason for a request.
    package enum Reason: String, Hashable, Sendable {
        /// A reader lacks the bytes.
        case reader
        /// The policy keeps more of the resource than the played bytes.
        case filling
    }

    /// The next byte to arrive; `nil` for the end of a resource of unknown length.
    package let position: Int64?
    /// The end of the request's range; `nil` for the end of a resource of unknown length.
    package let end: Int64?
    /// The state.
    package let state: State
    /// The reason.
    package let reason: Reason
}

extension CachedSource {
    /// The resource's identifier in the cache: 32 hexadecimal digits.
    package var identifier: String { self.loader.key.identifier }

    /// The running requests.
    package func fetchActivities() async -> [FetchActivity] {
        await self.loader.fetchActivities
    }
}

extension ResourceLoader {
    /// The running requests.
    ///
    /// Computed on the actor: the plan cannot be copied, and would change while code outside the actor reads it.
    fileprivate var fetchActivities: [FetchActivity] { self.plan.activities }
}

extension FetchPlan {
    fileprivate var activities: [FetchActivity] {
        self.fetches.map { fetch in
            let demand = self.demands.first { $0.id == fetch.openedFor }
            let isForReader = demand.map { !$0.isBackground } ?? false
            return FetchActivity(
                position: fetch.position,
                end: fetch.end ?? self.length,
                state: FetchActivity.State(of: fetch),
                reason: isForReader ? .reader : .filling
            )
        }
    }
}

extension FetchActivity.State {
    fileprivate init(of fetch: FetchPlan.Fetch) {
        self =
            switch fetch.state {
            case .running: fetch.isAnswered ? .running : .opening
            case .paused: .paused
            case .lingering: .lingering
            }
    }
}
