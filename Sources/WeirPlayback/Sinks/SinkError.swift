// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Sound that could not be handed to where it was to go.
public struct SinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such device, or nobody may use it.
        public static let unavailable = Code("unavailable")
        /// The device has gone, or changed; opening it anew may help.
        public static let deviceChanged = Code("deviceChanged")
        /// It takes no sound of this format.
        public static let badFormat = Code("badFormat")
        /// Writing failed: the disk is full, the reader of a pipe has gone.
        public static let failed = Code("failed")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person: what was tried, what happened, what to do.
    public var message: String

    /// Describes a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { self.message }
}
