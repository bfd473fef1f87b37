// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a transport delivered no response, or only a part of one.
public struct HTTPTransportError: Error, Sendable {
    /// The kind of a failure, which code can act on; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No connection could be made: unknown host, refused, no route.
        public static let unreachable = Code("unreachable")
        /// No connection was open within the time limit.
        public static let connectTimedOut = Code("connectTimedOut")
        /// All connections that the host is allowed were in use for too long.
        public static let slotTimedOut = Code("slotTimedOut")
        /// All connections are in use, and too many requests already wait.
        public static let busy = Code("busy")
        /// The limit of requests per second held the request for too long.
        package static let heldTooLong = Code("heldTooLong")
        /// No response arrived within the time limit.
        public static let firstByteTimedOut = Code("firstByteTimedOut")
        /// No further byte of a body arrived within the time limit.
        public static let idleTimedOut = Code("idleTimedOut")
        /// The connection ended before the response or its body did.
        public static let connectionLost = Code("connectionLost")
        /// The host does not speak TLS at this port.
        package static let notTLS = Code("notTLS")
        /// The connection closed during the TLS handshake without a reason.
        package static let handshakeBrokenOff = Code("handshakeBrokenOff")
        /// Either side refused the certificate or the TLS handshake.
        public static let insecure = Code("insecure")
        /// The response, or the request to send, is not valid HTTP.
        public static let malformed = Code("malformed")
        /// The proxy refused, or requires a credential.
        public static let proxyRefused = Code("proxyRefused")
        /// The rule of the request forbids the address of its host.
        package static let forbiddenAddress = Code("forbiddenAddress")
        /// The transport was shut down.
        public static let closed = Code("closed")
    }

    /// The kind of the failure.
    public var code: Code
    /// The event as a phrase: `connection refused`.
    public var reason: String
    /// The underlying error.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension HTTPTransportError: LocalizedError, CustomStringConvertible {
    /// The description.
    public var errorDescription: String? { self.description }

    /// Code and reason.
    public var description: String { "\(self.code): \(self.reason)" }
}
