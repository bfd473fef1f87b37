// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirAudio
public import WeirSource

/// The state of a station's connection, and the reason for it.
public struct StationStatus: Hashable, Sendable {
    /// The phase of the connection.
    public enum Phase: Hashable, Sendable {
        /// There is no listener, and no connection.
        case idle
        /// The station connects, or has the response head and waits for the first sound.
        case connecting
        /// Sound arrives.
        case live
        /// The connection is lost; the station tries again after this time.
        case waiting(Duration)
        /// The station has given up.
        case ended
    }

    /// The phase of the connection.
    public var phase: Phase
    /// Why it is not live: the last loss or refusal; `nil` if there was none since sound arrived.
    public var reason: StationError?
    /// How many attempts in a row brought no sound.
    public var attempt: Int
    /// How many connections have brought sound, not counting the first of them.
    public var reconnects: Int
    /// The station's facts about itself.
    public var info: StationInfo?

    /// A status.
    public init(
        phase: Phase = .idle,
        reason: StationError? = nil,
        attempt: Int = 0,
        reconnects: Int = 0,
        info: StationInfo? = nil
    ) {
        self.phase = phase
        self.reason = reason
        self.attempt = attempt
        self.reconnects = reconnects
        self.info = info
    }
}

/// A station's facts about itself, from the response head.
public struct StationInfo: Hashable, Sendable {
    /// The name, the genre, the bit rate, and the interval of titles.
    public var headers: ICYHeaders
    /// The media type, without parameters.
    public var mediaType: String?
    /// The name of the responding server, for messages.
    public var display: String

    /// The facts from a response head.
    public init(headers: ICYHeaders, mediaType: String?, display: String) {
        self.headers = headers
        self.mediaType = mediaType
        self.display = display
    }
}

/// Why a station sends no sound.
public struct StationError: ExplainedError, Hashable {
    /// The kind of a loss; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The server ended the connection, although a station's stream has no end.
        public static let ended = Code("ended")
        /// The connection broke, or could not be made.
        public static let unreachable = Code("unreachable")
        /// The server was silent for too long.
        public static let silent = Code("silent")
        /// The server refused: the user has no access, or there is no such station.
        public static let refused = Code("refused")
        /// The server failed, or asked Weir to wait for a while.
        public static let failing = Code("failing")
        /// The server sent a page, or garbage.
        public static let notAudio = Code("notAudio")
    }

    /// The kind.
    public var code: Code
    /// One sentence for people.
    public var message: String
    /// The underlying error, if there was one; it is not compared.
    public var cause: (any Error)?

    /// A loss.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The same loss for a station that Weir does not try again: its message says what the user can
    /// do.
    package var atLast: StationError {
        let promise = "; Weir connects again."
        guard self.message.hasSuffix(promise) else { return self }
        var loss = self
        loss.message = "\(self.message.dropLast(promise.count)); try again later."
        return loss
    }

    /// Compares kind and message.
    public static func == (left: StationError, right: StationError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    /// Hashes kind and message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.message)
    }
}
