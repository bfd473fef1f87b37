// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A scripted transport's behaviour on one connection.
enum ScriptedAnswer: Sendable {
    /// A step of a body; after the last step the connection ends.
    enum Step: Sendable {
        case bytes([UInt8])
        case wait(Duration)
        /// A broadcast of frames numbered by the clock, `frames` at once; it never ends if the duration is `nil`.
        case radio(for: Duration?, frames: Int = 10)
        case fails(SourceError)
        case hangs
    }

    case fails(SourceError)
    /// The response never comes.
    case hangs
    /// A broadcast of a duration; it never ends if the duration is `nil`.
    case broadcasts(Broadcast, for: Duration?)
    case answers([Step], mediaType: String? = "audio/mpeg", fields: [(String, String)] = [])

    /// A refusal.
    static func refuses(_ status: Int) -> ScriptedAnswer {
        let codes: [Int: SourceError.Code] = [
            401: .unauthorized, 403: .forbidden, 404: .notFound, 410: .notFound, 429: .throttled,
        ]
        let code = codes[status] ?? .originFailed
        return .fails(SourceError(code, "The station answered \(status).", status: status))
    }
}
