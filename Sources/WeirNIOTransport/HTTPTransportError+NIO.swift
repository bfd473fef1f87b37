// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import WeirHTTP

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension HTTPTransportError {
    /// Maps an error of SwiftNIO.
    ///
    /// - Parameters:
    ///   - error: the error of NIO.
    ///   - isConnected: whether the connection was open.
    init(nio error: any Error, isConnected: Bool) {
        self =
            switch error {
            case let error as HTTPTransportError: error
            case let error as NIOConnectionError: Self.meaning(of: error)
            case let error as NIOSSLError: Self.meaning(of: error)
            case is NIOSSLExtraError:
                Self(.insecure, "its certificate is for another name", cause: error)
            case let error as BoringSSLError: Self.meaning(of: error, cause: error)
            case let error as IOError:
                Self(
                    isConnected || error.isOfAConnection ? .connectionLost : .unreachable,
                    Self.phrase(error),
                    cause: error
                )
            case ChannelError.connectTimeout:
                Self(.connectTimedOut, "no connection in time", cause: error)
            default:
                Self(.connectionLost, "the connection failed", cause: error)
            }
    }

    private static func meaning(of error: NIOConnectionError) -> HTTPTransportError {
        if error.dnsAError != nil || error.dnsAAAAError != nil, error.connectionErrors.isEmpty {
            return Self(.unreachable, "its name is not known", cause: error)
        }
        let failures = error.connectionErrors.map(\.error)
        // An address that the rule forbids says more than the failure of another one.
        if let forbidden = failures.lazy.compactMap({ $0 as? HTTPTransportError }).first {
            return forbidden
        }
        let isTimeout = failures.contains { failure in
            if case ChannelError.connectTimeout = failure { true } else { false }
        }
        if isTimeout { return Self(.connectTimedOut, "no connection in time", cause: error) }
        let reason = failures.lazy.compactMap { $0 as? IOError }.first.map(Self.phrase)
        return Self(.unreachable, reason ?? "no connection could be made", cause: error)
    }

    private static func meaning(of error: NIOSSLError) -> HTTPTransportError {
        switch error {
        case .handshakeFailed(let inner): Self.meaning(of: inner, cause: error)
        case .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel:
            Self(.insecure, "its certificate could not be verified", cause: error)
        case .uncleanShutdown:
            Self(.connectionLost, "the connection closed too early", cause: error)
        default:
            Self(.connectionLost, "the TLS connection failed", cause: error)
        }
    }

    private static func meaning(of error: BoringSSLError, cause: any Error) -> HTTPTransportError {
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return Self(.insecure, "its certificate is not trusted", cause: cause)
        }
        // A server that reads the TLS greeting as plain HTTP may close without sending a byte.
        if text.contains("EOF during handshake") {
            return Self(
                .handshakeBrokenOff,
                "the connection closed during the TLS handshake",
                cause: cause
            )
        }
        // A response in plain HTTP or another protocol has no TLS version where a TLS record has it.
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return Self(.notTLS, "it answered without TLS", cause: cause)
        }
        return Self(.insecure, "the TLS handshake failed", cause: cause)
    }

    private static func phrase(_ error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused"
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: "no route to it"
        case ETIMEDOUT: "no connection in time"
        case ECONNRESET, EPIPE: "the connection was reset"
        case EADDRNOTAVAIL: "no free port or address"
        case EMFILE, ENFILE: "too many open files"
        default: "system error \(error.errnoCode)"
        }
    }
}

extension IOError {
    /// Whether the error says that an open connection broke.
    fileprivate var isOfAConnection: Bool {
        self.errnoCode == ECONNRESET || self.errnoCode == EPIPE
    }
}
