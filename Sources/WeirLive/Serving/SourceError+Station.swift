// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension SourceError {
    /// Why a station's bytes do not come: what was underneath, where that says it already.
    init(_ loss: StationLoss) {
        if let cause = loss.cause as? SourceError {
            self = cause
            return
        }
        let code: Code =
            switch loss.code {
            case .refused: .forbidden
            case .failing: .originFailed
            case .notAudio: .notMedia
            case .silent: .timedOut
            default: .unreachable
            }
        self.init(code, loss.message, cause: loss)
    }

    /// The station was closed while it was read.
    static let stationClosed = SourceError(
        .closed,
        "The station was closed while it was read; open it again."
    )
}
