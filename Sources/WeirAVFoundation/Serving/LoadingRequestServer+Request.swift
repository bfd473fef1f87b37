// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension LoadingRequestServer {
    /// A loading request, as the player made it.
    public struct Request: Hashable, Sendable {
        /// Which bytes are wanted.
        public struct Bytes: Hashable, Sendable {
            /// The first byte, 0 or more.
            public var offset: Int64
            /// How many; `Int64.max` where the player does not know the end.
            public var length: Int64
            /// Whether all bytes up to the end of the resource are wanted, whatever ``length`` says.
            public var toTheEnd: Bool

            /// Describes bytes.
            public init(offset: Int64, length: Int64, toTheEnd: Bool) {
                // Behind the end of the largest resource there are no bytes, wherever that is.
                self.offset = min(max(0, offset), ResourceLength.maximum)
                self.length = max(0, length)
                self.toTheEnd = toTheEnd
            }

            /// The byte after the last.
            ///
            /// - Parameter total: the length of the resource; `nil` while nobody knows it.
            /// - Returns: `nil` if only the end of the resource will tell.
            func end(inLength total: Int64?) -> Int64? {
                let (asked, overflow) = self.offset.addingReportingOverflow(self.length)
                if self.toTheEnd || overflow || self.length == .max { return total }
                return min(asked, total ?? asked)
            }
        }

        /// Which request it is.
        public var id: RequestID
        /// Whether the player wants to know what the resource is.
        public var wantsInformation: Bool
        /// The type identifiers that it takes; `nil` or empty for all.
        public var allowedTypes: [String]?
        /// The bytes; `nil` for information alone.
        public var bytes: Bytes?

        /// Describes a request.
        public init(
            id: RequestID,
            wantsInformation: Bool,
            allowedTypes: [String]? = nil,
            bytes: Bytes?
        ) {
            self.id = id
            self.wantsInformation = wantsInformation
            self.allowedTypes = allowedTypes
            self.bytes = bytes
        }
    }
}
