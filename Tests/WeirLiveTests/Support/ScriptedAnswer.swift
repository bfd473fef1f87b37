// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What a scripted transport does with one connection.
enum ScriptedAnswer: Sendable {
    /// What a body does, one after the other; at the end the connection ends.
    enum Step: Sendable {
        case bytes([UInt8])
        case wait(Duration)
        /// A broadcast: frames numbered by the clock, so many at once; `nil`: for ever.
        case radio(for: Duration?, frames: Int = 10)
        case fails(SourceError)
        case hangs
    }

    case fails(SourceError)
    /// The head never comes.
    case hangs
    /// A broadcast, for so long; `nil`: for ever.
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
