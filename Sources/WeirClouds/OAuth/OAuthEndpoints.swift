// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The addresses of a service for log-ins and for tokens (RFC 6749 §3).
///
///     let request = AuthorizationRequest(
///         at: .yandex,
///         clientIdentifier: "0123456789abcdef",
///         redirect: "player://callback"
///     )
///     // Shows the page in a browser, and returns the address to which the service redirects.
///     let end = try await authenticate(request.page)
///     let client = try OAuthClient(.yandex, client: library.serviceClient)
///     let answer = try AuthorizationAnswer(end, to: request)
///     let tokens = try await client.tokens(for: answer, to: request)
public struct OAuthEndpoints: Hashable, Sendable {
    /// The page on which a user agrees; it may have a query of its own.
    public var authorization: URL
    /// Exchanges codes and refresh tokens for access tokens: https, unless it is on this machine.
    public var tokens: URL

    /// Creates the endpoints of a service.
    public init(authorization: URL, tokens: URL) {
        self.authorization = authorization
        self.tokens = tokens
    }

    /// Yandex, for Yandex.Disk.
    public static let yandex = OAuthEndpoints(
        authorization: Self.url(YandexDisk.authorization),
        tokens: Self.url(YandexDisk.tokens)
    )

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is not a URL.") }
        return url
    }
}

extension AuthorizationRequest {
    /// Creates a request.
    ///
    /// - Parameters:
    ///   - endpoints: the service.
    ///   - clientIdentifier: the application, as registered at the service.
    ///   - redirect: the address to which the service redirects, exactly as registered.
    ///   - scope: the requested access; `nil` for the access that the application registered.
    public init(
        at endpoints: OAuthEndpoints,
        clientIdentifier: String,
        redirect: String,
        scope: String? = nil
    ) {
        self.init(
            endpoint: endpoints.authorization.absoluteString,
            clientIdentifier: clientIdentifier,
            redirect: redirect,
            scope: scope
        )
    }

    /// The page to open in a browser.
    ///
    /// Its secrets are valid only for this log-in.
    public var page: URL {
        guard let page = URL(string: self.url) else {
            preconditionFailure("A URL with an encoded query is a URL.")
        }
        return page
    }
}

extension AuthorizationAnswer {
    /// Reads the service's answer from an address.
    ///
    /// - Parameters:
    ///   - end: the address to which the service redirected the browser.
    ///   - request: the request that the browser opened.
    /// - Throws: the errors of ``init(query:state:)``.
    public init(_ end: URL, to request: AuthorizationRequest) throws {
        let text = end.absoluteString.prefix { $0 != "#" }
        let query = text.firstIndex(of: "?").map { text[text.index(after: $0)...] } ?? ""
        try self.init(query: String(query), state: request.state)
    }
}

extension OAuthClient {
    /// Creates a client of a service.
    ///
    /// - Parameters:
    ///   - endpoints: the service.
    ///   - client: sends the requests, such as a library's `serviceClient`.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` for an address that cannot be
    ///   used.
    public init(_ endpoints: OAuthEndpoints, client: ServiceClient) throws(SourceError) {
        self.init(endpoint: try OriginURL(endpoints.tokens.absoluteString), client: client)
    }
}
