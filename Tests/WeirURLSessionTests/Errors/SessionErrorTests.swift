// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP

@testable import WeirURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("An error of a session")
struct SessionErrorTests {
    @Test(
        "has the same meaning on every platform",
        arguments: [
            (.cancelled, .closed, .closed),
            (.timedOut, .connectTimedOut, .idleTimedOut),
            (.cannotFindHost, .unreachable, .connectionLost),
            (.dnsLookupFailed, .unreachable, .connectionLost),
            (.cannotConnectToHost, .unreachable, .connectionLost),
            (.notConnectedToInternet, .unreachable, .connectionLost),
            (.dataNotAllowed, .unreachable, .connectionLost),
            (.internationalRoamingOff, .unreachable, .connectionLost),
            (.networkConnectionLost, .connectionLost, .connectionLost),
            (.appTransportSecurityRequiresSecureConnection, .insecure, .insecure),
            (.serverCertificateUntrusted, .insecure, .insecure),
            (.serverCertificateHasBadDate, .insecure, .insecure),
            (.clientCertificateRequired, .insecure, .insecure),
            (.secureConnectionFailed, .insecure, .insecure),
            (.userAuthenticationRequired, .proxyRefused, .proxyRefused),
            (.cannotParseResponse, .malformed, .malformed),
            (.badServerResponse, .malformed, .malformed),
            (.cannotDecodeContentData, .malformed, .malformed),
            (.unsupportedURL, .malformed, .malformed),
            (.unknown, .connectionLost, .connectionLost),
        ] as [(URLError.Code, HTTPTransportError.Code, HTTPTransportError.Code)]
    )
    func means(
        code: URLError.Code,
        before: HTTPTransportError.Code,
        after: HTTPTransportError.Code
    ) {
        let error = URLError(code)
        #expect(HTTPTransportError(session: error, hasHead: false, isCurl: false).code == before)
        #expect(HTTPTransportError(session: error, hasHead: true, isCurl: false).code == after)
    }

    @Test(
        "has the meaning of libcurl's words if its code has no meaning",
        arguments: [
            (.unknown, "SSL certificate problem: self-signed certificate", .insecure),
            (.unknown, "TLS connect error", .insecure),
            (.unknown, "Header without colon", .malformed),
            (.unknown, "Invalid Content-Length: value", .malformed),
            (.unknown, "transfer closed with 5 bytes remaining to read", .connectionLost),
            (.badServerResponse, "Empty reply from server", .connectionLost),
            (.unsupportedURL, "Received HTTP/0.9 when not allowed", .malformed),
            (.cannotConnectToHost, "Failed to connect", .unreachable),
        ] as [(URLError.Code, String, HTTPTransportError.Code)]
    )
    func meansByWords(code: URLError.Code, words: String, meaning: HTTPTransportError.Code) {
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: words])
        #expect(HTTPTransportError(session: error, hasHead: false, isCurl: true).code == meaning)
    }

    @Test("of a proxy, or of an unknown domain")
    func others() {
        let proxy = NSError(domain: "kCFErrorDomainCFNetwork", code: 310)
        #expect(HTTPTransportError(session: proxy, hasHead: false).code == .proxyRefused)
        let other = NSError(domain: "elsewhere", code: 310)
        #expect(HTTPTransportError(session: other, hasHead: false).code == .connectionLost)
    }

    @Test("contains no address")
    func keepsSecrets() throws {
        let url = try #require(URL(string: "https://media.test/a?sig=token"))
        let error = URLError(
            .cannotFindHost,
            userInfo: [NSURLErrorFailingURLErrorKey: url, NSLocalizedDescriptionKey: "\(url)"]
        )
        let meaning = HTTPTransportError(session: error, hasHead: false)
        var text = ""
        dump(meaning, to: &text)
        #expect(!text.contains("token"))
        #expect((meaning.cause as? URLError)?.code == .cannotFindHost)
    }
}
