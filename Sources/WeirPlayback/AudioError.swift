// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decoder or a sink that failed: a packet or a format that cannot be decoded, sound that cannot be played or written.
public struct AudioError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No decoder here knows the codec.
        public static let unsupported = Code("unsupported")
        /// The stream's configuration of its codec cannot be used.
        public static let badConfiguration = Code("badConfiguration")
        /// The packet is damaged; the next may be sound.
        public static let badPacket = Code("badPacket")
        /// The sink takes no sound of this format.
        public static let badFormat = Code("badFormat")
        /// There is no such device, file or library, or it may not be used; the message says what to install.
        public static let unavailable = Code("unavailable")
        /// The device has gone, or changed; opening it anew may help.
        public static let deviceChanged = Code("deviceChanged")
        /// A decoder's library failed, and the decoder is of no more use; or writing failed: the disk is full, the
        /// reader of a pipe has gone.
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

    /// The sentence; `localizedDescription` is the same.
    public var errorDescription: String? { self.message }

    /// The sentence.
    public var description: String { self.message }
}
