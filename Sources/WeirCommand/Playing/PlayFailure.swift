// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirPlayback
import WeirSource

/// The end of `weir play` where it did not end as it should.
enum PlayFailure {
    /// The error to end with.
    static func error(for failure: PlayerFailure) -> CommandError {
        CommandError(Self.status(of: failure), failure.message)
    }

    /// The status for why a player could not go on.
    static func status(of failure: PlayerFailure) -> ExitStatus {
        switch failure.code {
        case .source:
            switch failure.cause {
            case let loss as StationLoss: return Self.status(of: loss)
            case let cause?: return ExitStatus(for: cause)
            case nil: return .network
            }
        case .notAudio, .unsupported, .undecodable: return .content
        default: return .failed
        }
    }

    /// The status for why a station's sound does not come.
    static func status(of loss: StationLoss) -> ExitStatus {
        switch loss.code {
        case .ended, .unreachable, .silent, .failing: .network
        case .refused: .notFound
        case .notAudio: .content
        default: .failed
        }
    }
}
