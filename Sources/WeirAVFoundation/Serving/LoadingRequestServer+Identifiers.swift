// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension LoadingRequestServer {
    /// Tells one loading request from another, however equal what they ask for is.
    public struct RequestID: Hashable, Sendable {
        /// The number of the request among those of its asset.
        public let rawValue: Int

        /// Takes a number.
        public init(_ rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// Tells one reading of the source from another.
    public struct ReadID: Hashable, Sendable {
        /// The number of the reading among those of its asset.
        public let rawValue: Int
    }

    /// Tells one wait from another.
    public struct WaitID: Hashable, Sendable {
        /// The number of the wait among those of its asset.
        public let rawValue: Int
    }
}
