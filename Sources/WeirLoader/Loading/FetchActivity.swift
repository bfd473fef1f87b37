// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// A request to an origin that is under way, for code that shows it.
package struct FetchActivity: Hashable, Sendable {
    /// What it does.
    package enum State: String, Hashable, Sendable {
        /// It is sent, and not answered.
        case opening
        /// Bytes are taken as they come.
        case running
        /// Bytes are left in the connection until a reader wants them.
        case paused
        /// No reader wants it; it ends soon.
        case lingering
    }

    /// Why it was made.
    package enum Reason: String, Hashable, Sendable {
        /// A reader lacks the bytes.
        case reader
        /// More of the resource is to be kept than is played.
        case filling
    }

    /// The next byte that it brings; `nil` for the end of a resource of unknown length.
    package let position: Int64?
    /// Where its claim ends; `nil`: at the end of a resource of unknown length.
    package let end: Int64?
    /// What it does.
    package let state: State
    /// Why it was made.
    package let reason: Reason
}

extension CachedSource {
    /// What the cache calls the resource: 32 hexadecimal digits.
    package var identifier: String { self.loader.key.identifier }

    /// What is fetched now.
    package func fetchActivities() async -> [FetchActivity] {
        await self.loader.fetchActivities
    }
}

extension ResourceLoader {
    /// What is fetched now.
    ///
    /// The actor's own: a plan, which cannot be copied, would be looked at from outside of it while it changes.
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
                state: FetchActivity.State(fetch.state),
                reason: isForReader ? .reader : .filling
            )
        }
    }
}

extension FetchActivity.State {
    fileprivate init(_ state: FetchPlan.Fetch.State) {
        self =
            switch state {
            case .opening: .opening
            case .running: .running
            case .paused: .paused
            case .lingering: .lingering
            }
    }
}
