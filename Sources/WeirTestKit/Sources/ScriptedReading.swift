// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The record of one reading of a ``ScriptedSource``.
public struct ScriptedReading: Sendable, Equatable {
    /// Where a reading stands.
    public enum State: Sendable, Equatable {
        /// It may go on.
        case running
        /// Every byte of its range was handed out and its end was seen.
        case finished
        /// It has thrown an error of the script.
        case failed
        /// Its reader dropped it before its end.
        case left
    }

    /// What was asked.
    public let demand: ReadDemand
    /// The range within the resource that this meant.
    public let range: Range<Int64>
    /// How far its bytes were handed out: from the start of the range to here.
    public internal(set) var position: Int64
    /// Where it stands.
    public internal(set) var state = State.running

    /// The bytes that were handed out.
    public var handedOut: Range<Int64> { self.range.lowerBound..<self.position }
}
