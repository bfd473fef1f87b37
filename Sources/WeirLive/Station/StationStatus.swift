// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirAudio

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the connection of a station does, and why.
public struct StationStatus: Hashable, Sendable {
    /// What it does.
    public enum Phase: Hashable, Sendable {
        /// There is no listener, and no connection.
        case idle
        /// It asks the station, or has its answer and waits for the first sound in it.
        case connecting
        /// Sound comes.
        case live
        /// The connection is lost; it tries again after this time.
        case waiting(Duration)
        /// It has given up.
        case ended
    }

    /// What it does.
    public var phase: Phase
    /// Why it is not live: the last loss or refusal; `nil` while there was none since sound came.
    public var reason: StationLoss?
    /// How many attempts in a row brought no sound.
    public var attempt: Int
    /// How many connections brought sound before this one.
    public var reconnects: Int
    /// What the station says of itself.
    public var info: StationInfo?

    /// A status.
    public init(
        phase: Phase = .idle,
        reason: StationLoss? = nil,
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

/// What a station says of itself in the head of its answer.
public struct StationInfo: Hashable, Sendable {
    /// Name, genre, bit rate, where titles stand.
    public var headers: ICYHeaders
    /// The media type, without parameters.
    public var mediaType: String?
    /// What answered, for sentences.
    public var display: String

    /// What a station says.
    public init(headers: ICYHeaders, mediaType: String?, display: String) {
        self.headers = headers
        self.mediaType = mediaType
        self.display = display
    }
}

/// Why a station's sound does not come.
public struct StationLoss: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// What kind of loss it is; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The server ended the connection, as no endless stream should.
        public static let ended = Code("ended")
        /// The connection broke, or could not be made.
        public static let unreachable = Code("unreachable")
        /// The server was silent for too long.
        public static let silent = Code("silent")
        /// The server refused: no right to it, or no such station.
        public static let refused = Code("refused")
        /// The server failed, or wants to be left alone for a while.
        public static let failing = Code("failing")
        /// What came is a page, or garbage.
        public static let notAudio = Code("notAudio")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// What the failure was underneath, if there was one; not compared.
    public var cause: (any Error)?

    /// A loss.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The same where the station is not asked again: its sentence says what a person may do.
    package var atLast: StationLoss {
        let promise = "; it is asked again."
        guard self.message.hasSuffix(promise) else { return self }
        var loss = self
        loss.message = "\(self.message.dropLast(promise.count)); try again later."
        return loss
    }

    /// The sentence; `localizedDescription` is the same.
    public var errorDescription: String? { self.message }

    /// The sentence.
    public var description: String { self.message }

    /// Equal kinds and sentences.
    public static func == (left: StationLoss, right: StationLoss) -> Bool {
        left.code == right.code && left.message == right.message
    }

    /// Hashes kind and sentence.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.message)
    }
}
