// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP
import WeirSource

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URL {
    /// An address without user and password, if a `URL` keeps every byte of its target; else `nil`.
    ///
    /// `URL` accepts only the characters of RFC 3986. So a bare `[` or `%zz` is refused here:
    /// encoding it would request another resource. libcurl, which FoundationNetworking uses,
    /// removes the dot segments `.` and `..` from a path. RFC 3986 §5.2.4 has this rule for
    /// references, not for targets. So paths with dot segments are refused too, also if written
    /// `%2e`.
    init?(exactly origin: OriginURL) {
        let host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        let text = "\(origin.scheme.rawValue)://\(host)\(port)\(origin.requestTarget)"
        guard !Self.hasDotSegment(origin.path),
            let url = URL(string: text, encodingInvalidCharacters: false),
            url.absoluteString == text
        else { return nil }
        self = url
    }

    private static func hasDotSegment(_ path: String) -> Bool {
        path.split(separator: "/").contains { segment in
            let dots = segment.lowercased().replacing("%2e", with: ".")
            return dots == "." || dots == ".."
        }
    }
}

extension URLRequest {
    /// The request for a session, if the session keeps its target unchanged.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` for a target that the session
    ///   would change, and for a GET with a body, which FoundationNetworking does not send.
    init(exactly request: HTTPTransportRequest) throws(SourceError) {
        guard let url = URL(exactly: request.url) else {
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
        // The caller sets the time limits; the session's own limits must not be shorter.
        self.init(
            url: url,
            cachePolicy: .reloadIgnoringLocalAndRemoteCacheData,
            timeoutInterval: URLSessionConfiguration.patience
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
