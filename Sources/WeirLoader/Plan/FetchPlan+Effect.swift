// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FetchPlan {
    /// What the shell must do.
    ///
    /// Effects of one event are carried out in their order.
    enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Send a request for a range. So many bytes at its start and at its end are held already and must
        /// turn out the same (law 2, resources without a validator).
        case open(FetchID, RequestedRange, overlap: Overlap)
        /// Read these bytes, which are held, again beside this fetch: none of its bytes may be used before they have turned
        /// out the same (law 2, resources without a validator).
        case verify(FetchID, Range<Int64>)
        /// Take no more bytes from this fetch until `proceed`.
        case pause(FetchID)
        /// Take bytes again.
        case proceed(FetchID)
        /// Nobody wants this fetch: take no more bytes, and report `lingered` after the linger time.
        case linger(FetchID)
        /// End the request and close its connection.
        case close(FetchID)
        /// The demand cannot be met: its reader gets the error of the fetch that just failed.
        case fail(DemandID)

        /// The effect as a line of a transcript: `open f1 0...`.
        var description: String {
            switch self {
            case .open(let id, let range, .none): "open \(id) \(range)"
            case .open(let id, let range, let overlap): "open \(id) \(range) comparing \(overlap)"
            case .verify(let id, let range):
                "verify \(id) \(range.lowerBound)..<\(range.upperBound)"
            case .pause(let id): "pause \(id)"
            case .proceed(let id): "proceed \(id)"
            case .linger(let id): "linger \(id)"
            case .close(let id): "close \(id)"
            case .fail(let id): "fail \(id)"
            }
        }
    }
}
