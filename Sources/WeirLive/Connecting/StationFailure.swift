// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Why a connection is over, and what that means for the next.
struct StationFailure: Hashable, Sendable {
    /// What is told.
    var loss: StationLoss
    /// Whether asking again will hardly help: it counts towards ending.
    var isRefusal = false
    /// Whether asking again cannot help.
    var isFinal = false
    /// How long the server wants to be left alone, whatever is made of that.
    var patience: Duration = .zero

    init(
        _ code: StationLoss.Code,
        _ message: String,
        isRefusal: Bool = false,
        isFinal: Bool = false
    ) {
        self.loss = StationLoss(code, message)
        self.isRefusal = isRefusal
        self.isFinal = isFinal
    }

    /// What a transport's error means.
    ///
    /// - Parameters:
    ///   - error: what was thrown.
    ///   - display: what the station is called.
    init(_ error: any Error, asking display: String) {
        guard let error = error as? SourceError else {
            self.loss = StationLoss(
                .unreachable,
                "The connection to \(display) broke; it is asked again.",
                cause: error
            )
            return
        }
        self.loss = StationLoss(Self.code(error.code), error.message, cause: error)
        self.isRefusal = self.loss.code == .refused
        self.patience = max(.zero, (error.cause as? StationPatience)?.delay ?? .zero)
    }

    /// The same for a station that has played before: what is refused now is waited for.
    ///
    /// - Parameter display: what the station is called.
    /// - Returns: the failure, with what is waited for as its sentence.
    func ofPlayed(_ display: String) -> StationFailure {
        guard self.isRefusal, let error = self.loss.cause as? SourceError else { return self }
        let status = error.status.map { " (\($0))" } ?? ""
        var failure = self
        failure.loss.message =
            switch error.code {
            case .notFound:
                "\(display) has no stream for the moment\(status), perhaps because its source is away; it is asked again."
            case .forbidden:
                "\(display) sends its stream to nobody else for the moment\(status), perhaps because it is full; it is asked"
                    + " again."
            default:
                "\(display) has played before and refuses its stream now\(status); it is asked again."
            }
        return failure
    }

    private static func code(_ code: SourceError.Code) -> StationLoss.Code {
        switch code {
        case .unauthorized, .forbidden, .notFound, .invalidRequest: .refused
        case .throttled, .originFailed, .badAnswer, .changed, .rangeNotSatisfiable: .failing
        case .timedOut: .silent
        case .notMedia: .notAudio
        default: .unreachable
        }
    }
}
