// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a transport could not bring an answer, or not all of it.
public struct HTTPTransportError: Error, Sendable {
    /// What went wrong, as a kind that code can act on; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No connection could be made: no such host, refused, no way to it.
        public static let unreachable = Code("unreachable")
        /// No connection within its time.
        public static let connectTimedOut = Code("connectTimedOut")
        /// All connections that the host is allowed were in use for too long.
        public static let slotTimedOut = Code("slotTimedOut")
        /// All of them are in use, and too many requests wait already.
        public static let busy = Code("busy")
        /// Too many requests a second were to be sent to the host for too long.
        package static let heldTooLong = Code("heldTooLong")
        /// No answer within its time.
        public static let firstByteTimedOut = Code("firstByteTimedOut")
        /// No further byte of a body within its time.
        public static let idleTimedOut = Code("idleTimedOut")
        /// The connection ended before the answer or its body did.
        public static let connectionLost = Code("connectionLost")
        /// The host does not speak TLS at this port.
        package static let notTLS = Code("notTLS")
        /// The connection closed during the TLS handshake, with nothing said of why.
        package static let handshakeBrokenOff = Code("handshakeBrokenOff")
        /// The certificate or the TLS handshake was refused, by either side.
        public static let insecure = Code("insecure")
        /// What came is not HTTP.
        public static let malformed = Code("malformed")
        /// The proxy on the way refused, or wants a credential.
        public static let proxyRefused = Code("proxyRefused")
        /// The transport was shut down.
        public static let closed = Code("closed")
    }

    /// The kind.
    public var code: Code
    /// What happened, as a phrase: `connection refused`.
    public var reason: String
    /// What was underneath.
    public var cause: (any Error)?

    /// Describes a failure.
    public init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension HTTPTransportError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { self.description }

    /// Code and reason.
    public var description: String { "\(self.code): \(self.reason)" }
}
