// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Members that Apple does not have: to observe and to pace a playback.
extension AVPlayerItem {
    /// How bytes are consumed; copies of the item begin with the same pacing.
    nonisolated public var stubPacing: StubPacing {
        get { playback.publish { $0.pacing } }
        set {
            playback.publish { $0.pacing = newValue }
            playback.reconsider()
        }
    }

    /// The position of the playback: the offset of the next byte to consume.
    nonisolated public var stubPlayhead: Int64 { playback.publish { $0.playhead } }

    /// How many samples each track has; empty until the index was read.
    nonisolated public var stubSampleCounts: [Int] { playback.publish { $0.sampleCounts } }

    /// Allows a number of further bytes to be consumed, at the pace `granted`.
    ///
    /// - Parameter bytes: The number of bytes.
    nonisolated public func stubGrant(_ bytes: Int64) {
        playback.grant(bytes)
    }

    /// Seeks to a byte: the player then needs the samples from this byte on.
    ///
    /// - Parameter byte: The offset in the resource; an offset outside the media is moved into it.
    nonisolated public func stubSeek(toByte byte: Int64) {
        playback.requestSeek(.byte(byte))
    }

    /// Waits until the item was played to its end, or failed.
    ///
    /// - Returns: The outcome.
    nonisolated public func stubOutcome() async -> StubOutcome {
        await withCheckedContinuation { continuation in
            let outcome = playback.publish { published in
                if published.outcome == nil { published.waiters.append(continuation) }
                return published.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Waits until it is known whether the item can be played.
    ///
    /// - Returns: The status.
    nonisolated public func stubReadiness() async -> Status {
        await withCheckedContinuation { continuation in
            let status = playback.publish { published in
                if published.status == .unknown { published.readers.append(continuation) }
                return published.status
            }
            if status != .unknown { continuation.resume(returning: status) }
        }
    }

    /// The media bytes that were consumed and kept, each with its offset.
    nonisolated public var stubKeptBytes: [(offset: Int64, data: Data)] {
        playback.publish { $0.kept.map { ($0.offset, $0.data) } }
    }
}
