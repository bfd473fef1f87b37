// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

extension ScriptedSource {
    /// What has been asked of a scripted source, and what it has done, up to one moment.
    public struct Log: Sendable {
        /// The demands that ``ScriptedSource/read(_:)`` was called with, in order, refused ones too.
        public internal(set) var demands: [ReadDemand] = []
        /// The readings that were started, in order.
        public internal(set) var readings: [ScriptedReading] = []
        /// How often ``ScriptedSource/describe()`` was called.
        public internal(set) var descriptionCount = 0
        /// How many readings ran at the same time at most.
        public internal(set) var mostRunningReadings = 0
        /// How many chunks were handed out.
        public internal(set) var chunkCount = 0

        /// How many bytes were handed out by all readings together.
        public var byteCount: Int64 {
            self.readings.reduce(0) { $0 + Int64($1.handedOut.count) }
        }

        /// Which bytes were handed out, by any reading of any generation.
        public var handedOut: RangeSet<Int64> {
            self.readings.reduce(into: RangeSet<Int64>()) { $0.insert(contentsOf: $1.handedOut) }
        }

        /// How many bytes were handed out although they had been handed out before.
        public var repeatedByteCount: Int64 { self.byteCount - self.handedOut.byteCount }

        /// How many readings stand in a state.
        public func readingCount(_ state: ScriptedReading.State) -> Int {
            self.readings.count { $0.state == state }
        }
    }
}
