// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPTransportError {
    /// What an error of a session means.
    ///
    /// The platform's error names the whole address, signature and all; only its code is kept as the
    /// cause.
    ///
    /// - Parameters:
    ///   - error: what the session said.
    ///   - hasHead: whether the head of the answer had come.
    ///   - isCurl: whether libcurl is underneath, which says most things in words only.
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
        // Once an answer has begun there was a connection, and it is gone.
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
            (.unreachable, "no way to it")
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
            (.insecure, "its certificate is not to be trusted")
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
            // A lost connection is what can be tried again, as may be whatever has no name.
            (.connectionLost, "the connection closed too early")
        }
    }

    /// What FoundationNetworking says in libcurl's words under a code that says nothing.
    private static func meaning(ofCurl code: URLError.Code, saying text: String) -> (Code, String)?
    {
        switch code {
        case .badServerResponse:
            // An empty reply, and nothing else.
            return (.connectionLost, "the connection closed without an answer")
        case .unknown:
            if text.contains("wrong version number") { return (.notTLS, "it answered without TLS") }
            if Self.tlsWords.contains(where: text.contains) {
                return (
                    .insecure, "the TLS handshake failed, or its certificate is not to be trusted"
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
