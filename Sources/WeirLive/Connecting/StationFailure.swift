// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Why a connection is over, and what that means for the next attempt.
struct StationFailure: Hashable, Sendable {
    /// The loss as users of the station see it.
    var loss: StationError
    /// Whether another attempt will probably fail, too: the failure counts towards giving up.
    var isRefusal = false
    /// Whether another attempt cannot help.
    var isFinal = false
    /// How long the server asks Weir to wait, before any limit applies.
    var patience: Duration = .zero

    init(
        _ code: StationError.Code,
        _ message: String,
        isRefusal: Bool = false,
        isFinal: Bool = false
    ) {
        self.loss = StationError(code, message)
        self.isRefusal = isRefusal
        self.isFinal = isFinal
    }

    /// The failure for an error of the transport.
    ///
    /// - Parameters:
    ///   - error: the thrown error.
    ///   - display: the station's name for messages.
    init(_ error: any Error, asking display: String) {
        guard let error = error as? SourceError else {
            self.loss = StationError(
                .unreachable,
                "The connection to \(display) broke; Weir connects again.",
                cause: error
            )
            return
        }
        self.loss = StationError(Self.code(error.code), error.message, cause: error)
        self.isRefusal = self.loss.code == .refused
        self.patience = max(.zero, (error.cause as? StationPatience)?.delay ?? .zero)
    }

    /// The failure of a station that has played before: Weir waits for it although it refuses now.
    ///
    /// - Parameter display: the station's name for messages.
    /// - Returns: the failure, with a message that says what Weir waits for.
    func ofPlayed(_ display: String) -> StationFailure {
        guard self.isRefusal, let error = self.loss.cause as? SourceError else { return self }
        let status = error.status.map { " (\($0))" } ?? ""
        var failure = self
        failure.loss.message =
            switch error.code {
            case .notFound:
                "\(display) has no stream for the moment\(status), perhaps because its source is away; Weir connects again."
            case .forbidden:
                "\(display) accepts no more listeners for the moment\(status), perhaps because it is full; Weir"
                    + " connects again."
            default:
                "\(display) has played before and refuses its stream now\(status); Weir connects again."
            }
        return failure
    }

    private static func code(_ code: SourceError.Code) -> StationError.Code {
        switch code {
        case .unauthorized, .forbidden, .notFound, .invalidRequest: .refused
        case .throttled, .originFailed, .badAnswer, .changed, .rangeNotSatisfiable: .failing
        case .timedOut: .silent
        case .notMedia: .notAudio
        default: .unreachable
        }
    }
}
