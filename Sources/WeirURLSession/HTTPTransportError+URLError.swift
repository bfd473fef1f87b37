// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPTransportError {
    /// Maps an error of a session.
    ///
    /// The platform's error contains the whole address with its signature, so only its code is kept
    /// as the cause.
    ///
    /// - Parameters:
    ///   - error: the error of the session.
    ///   - hasHead: whether the head of the response had arrived.
    ///   - isCurl: whether the session uses libcurl, which reports most errors only in words.
    init(
        session error: any Error,
        hasHead: Bool,
        isCurl: Bool = FlowControl.native == .braking
    ) {
        guard let error = error as? URLError else {
            let bare = error as NSError
            self =
                bare.domain.hasPrefix("kCFErrorDomainCFNetwork") && (306...311).contains(bare.code)
                ? Self(.proxyRefused, "the proxy did not connect")
                : Self(.connectionLost, "the connection failed")
            return
        }
        let code = error.code
        let cause = URLError(code)
        if isCurl, let meaning = Self.meaning(ofCurl: code, saying: error.localizedDescription) {
            self = Self(meaning.0, meaning.1, cause: cause)
            return
        }
        var (kind, reason) = Self.meaning(of: code)
        // A response has begun, so there was a connection that is now lost.
        if hasHead, kind == .unreachable { kind = .connectionLost }
        if hasHead, kind == .connectTimedOut { kind = .idleTimedOut }
        self = Self(kind, reason, cause: cause)
    }

    private static func meaning(of code: URLError.Code) -> (Code, String) {
        switch code {
        case .cancelled:
            (.closed, "the transport was shut down")
        case .timedOut:
            (.connectTimedOut, "no connection in time")
        case .cannotFindHost, .dnsLookupFailed:
            (.unreachable, "its name is not known")
        case .cannotConnectToHost:
            (.unreachable, "connection refused")
        case .notConnectedToInternet:
            (.unreachable, "no route to it")
        case .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            (.unreachable, "this device may not use the network now")
        case .appTransportSecurityRequiresSecureConnection:
            (
                .insecure,
                "App Transport Security forbids plain http; the application's Info.plist has no exception for it"
                    + " under NSAppTransportSecurity"
            )
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid:
            (.insecure, "its certificate is not valid now")
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            (.insecure, "its certificate is not trusted")
        case .clientCertificateRejected, .clientCertificateRequired:
            (.insecure, "it wants another certificate of ours")
        case .secureConnectionFailed:
            (.insecure, "the TLS handshake failed")
        case .userAuthenticationRequired, .userCancelledAuthentication:
            (.proxyRefused, "it wants a user and a password")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .zeroByteResource, .dataLengthExceedsMaximum, .badURL,
            .unsupportedURL, .httpTooManyRedirects, .redirectToNonExistentLocation:
            (.malformed, "an answer that breaks the rules of HTTP")
        default:
            // Codes without a case count as a lost connection, which can be retried.
            (.connectionLost, "the connection closed too early")
        }
    }

    /// Maps an error of FoundationNetworking by libcurl's words, if its code is too general.
    private static func meaning(ofCurl code: URLError.Code, saying text: String) -> (Code, String)?
    {
        switch code {
        case .badServerResponse:
            // libcurl reports only an empty reply with this code.
            return (.connectionLost, "the connection closed without an answer")
        case .unknown:
            if text.contains("wrong version number") { return (.notTLS, "it answered without TLS") }
            if Self.tlsWords.contains(where: text.contains) {
                return (
                    .insecure, "the TLS handshake failed, or its certificate is not trusted"
                )
            }
            if Self.formWords.contains(where: text.contains) {
                return (.malformed, "an answer that breaks the rules of HTTP")
            }
            return nil
        default:
            return nil
        }
    }

    private static let tlsWords = ["SSL", "TLS", "certificate"]
    private static let formWords = [
        "Header without colon", "Failed writing header", "Content-Length", "content encoding",
        "HTTP version", "chunk hex-length", "Chunk callback", "Too large response headers",
    ]
}
