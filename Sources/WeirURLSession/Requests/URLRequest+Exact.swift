// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirHTTP
internal import WeirSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URLRequest {
    /// The request as a session takes it, if the session leaves its target alone.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` for a target that would be changed on
    ///   the way, and for a GET with a body, which FoundationNetworking sends to nobody.
    init(exactly request: HTTPTransportRequest) throws(SourceError) {
        guard let url = ExactURL.url(of: request.url) else {
            throw SourceError(
                .invalidRequest,
                "The URL \(request.url.display) cannot be asked for over URLSession, which would change it"
                    + " on the way; percent-encode the characters [ ] and %, leave out the path's"
                    + " . and .. segments, or use another transport.",
                host: request.url.authority
            )
        }
        guard request.body.isEmpty || request.method != "GET" else {
            throw SourceError(
                .invalidRequest,
                "A GET with a body cannot be sent over URLSession; use another method or transport.",
                host: request.url.authority
            )
        }
        // The limits of waiting are the caller's; these only must not be shorter.
        self.init(
            url: url,
            cachePolicy: .reloadIgnoringLocalAndRemoteCacheData,
            timeoutInterval: SessionSettings.patience
        )
        self.httpMethod = request.method
        self.httpShouldHandleCookies = false
        for header in request.headers.headers {
            self.addValue(header.value, forHTTPHeaderField: header.name)
        }
        if !request.headers.contains("Accept-Encoding") {
            self.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        if !request.body.isEmpty { self.httpBody = Data(request.body) }
    }
}
