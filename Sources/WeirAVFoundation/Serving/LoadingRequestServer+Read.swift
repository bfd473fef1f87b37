// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension LoadingRequestServer {
    /// A reading of the source that has not ended.
    struct Read: Sendable {
        /// For whom.
        enum Owner: Hashable, Sendable {
            /// For the first bytes, which are everybody's.
            case head
            /// For a request alone.
            case request(RequestID)
        }

        let id: ReadID
        var owner: Owner
        /// The next byte that it brings.
        var position: Int64
        /// Whether it has been pulled and has not answered.
        var isPulled = false
    }
}
