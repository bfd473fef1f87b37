// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Why a proxy could not be started.
///
/// ``message`` is one sentence for a person: the attempt, the failure, the remedy.
public struct ProxyError: ExplainedError {
    /// The kind of a failure, for code to act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Another program listens on the port.
        public static let portInUse = Code("portInUse")
        /// The proxy cannot listen on the address: it is not one of this machine, or not permitted.
        public static let cannotListen = Code("cannotListen")
        /// Without a secret the proxy would be open to more than this machine.
        public static let insecure = Code("insecure")
        /// A setting is invalid: a secret with a slash in it, a port of 70000.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// Only programs of the same user may connect, but the system does not report the owners of
        /// connections.
        public static let usersUnknown = Code("usersUnknown")
        /// The proxy was shut down, and is not started again.
        public static let shutDown = Code("shutDown")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// The underlying error.
    public var cause: (any Error)?

    /// Describes a failure.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
