// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension PlainAnswer {
    /// What a player, and the person before it, is told of a failure at the source.
    ///
    /// The status says where to look: 4xx at the origin's own answer, 502 and 504 between here and
    /// the origin, 500 here. The sentence is the failure's own.
    init(_ failure: any Error) {
        guard let failure = failure as? SourceError else {
            self = failure is CancellationError ? .closed : .unexplained
            return
        }
        self.init(status: Self.status(of: failure), sentence: failure.message)
        switch failure.code {
        case .rangeNotSatisfiable:
            // Without a body, like every 416: players have asked for this one on purpose.
            self.sentence = nil
            self.unsatisfiedLength = failure.length
        case .throttled:
            self.retryAfter = 10
        default:
            break
        }
    }

    private static func status(of failure: SourceError) -> Int {
        switch failure.code {
        case .invalidRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: failure.status == 410 ? 410 : 404
        case .rangeNotSatisfiable: 416
        case .cacheFailed: 500
        case .throttled, .closed: 503
        case .timedOut, .offline: 504
        // Unreachable, insecure, originFailed, badAnswer, truncated, notMedia, changed, what may
        // come.
        default: 502
        }
    }

    private static let closed = PlainAnswer(
        status: 503,
        sentence: "The resource was closed before it could be read; try again."
    )

    private static let unexplained = PlainAnswer(
        status: 500,
        sentence: "The resource could not be read, and why is not known; try again."
    )
}
