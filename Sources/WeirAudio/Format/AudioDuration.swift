// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How long a stream plays, and how far that can be trusted.
public struct AudioDuration: Hashable, Sendable {
    /// Where the number comes from.
    public enum Certainty: String, Hashable, Sendable, Comparable {
        /// Worked out from a bit rate and a length in bytes.
        case estimated
        /// Said by a header that cannot be checked without reading everything.
        case declared
        /// Counted, or implied by the bytes themselves.
        case exact

        private var rank: Int {
            switch self {
            case .estimated: 0
            case .declared: 1
            case .exact: 2
            }
        }

        /// The more certain is the greater.
        public static func < (left: Certainty, right: Certainty) -> Bool { left.rank < right.rank }
    }

    /// What is heard, without what is trimmed, at the format's sample rate.
    public var samples: SampleCount
    /// How far the number can be trusted.
    public var certainty: Certainty

    /// A duration.
    public init(_ samples: SampleCount, _ certainty: Certainty) {
        self.samples = samples
        self.certainty = certainty
    }
}
