// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SimulatedOrigin {
    /// How a source behaves.
    public struct Habits: Hashable, Sendable {
        /// The most bytes that come at once; fewer as chance has it.
        public var largestChunk = 1 << 20
        /// Whether chunks are always as large as they can be.
        public var fillsChunks = false
        /// Which openings fail, counted from 0.
        public var failingOpenings: Set<Int> = []
        /// The first byte that cannot be brought; `nil` if all can.
        public var failsAt: Int64?
        /// How often it cannot.
        public var failures = 0
        /// Where the bytes end, whatever length was announced; `nil` at the end.
        public var endsEarlyAt: Int64?
        /// The answer from which on the origin has another version, counted from 0; `nil` for never.
        public var changesAt: Int?
        /// Whether readings that are open go on with the old version.
        public var keepsOldReadings = true
        /// The opening from which on the length is said, counted from 0.
        public var announcesLengthFrom = 0
        /// Whether it names versions.
        public var hasValidator = true

        /// A source that brings what it is asked for.
        public init() {}
    }
}
