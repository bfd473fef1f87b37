// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// A failure of a decoder or a sink.
///
/// A packet or a format cannot be decoded, or sound cannot be played or written.
public struct AudioError: ExplainedError, Hashable {
    /// The kind of a failure; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No available decoder supports the codec.
        public static let unsupported = Code("unsupported")
        /// The stream's codec configuration cannot be used.
        public static let badConfiguration = Code("badConfiguration")
        /// The packet is damaged; the next one may be intact.
        public static let badPacket = Code("badPacket")
        /// The sink accepts no sound of this format.
        public static let badFormat = Code("badFormat")
        /// The device, file or library does not exist or may not be used; the message says what to
        /// install.
        public static let unavailable = Code("unavailable")
        /// The device has disappeared, or changed; opening it again may help.
        public static let deviceChanged = Code("deviceChanged")
        /// A decoder's library failed and the decoder is no longer usable, or writing failed.
        ///
        /// For example, the disk is full, or the reader of a pipe has gone.
        public static let failed = Code("failed")
    }

    /// The kind.
    public var code: Code
    /// One sentence for people: the attempt, the result, and what to do.
    public var message: String

    /// Describes a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
