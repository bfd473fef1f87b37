// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a station's sound does not come.
public struct StationLoss: Error, Hashable, Sendable, CustomStringConvertible {
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
