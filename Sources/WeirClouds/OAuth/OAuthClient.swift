// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
import WeirSource

/// Sends requests to the token endpoint of a service (RFC 6749 §3.2).
///
/// A request for tokens is never sent twice if the service may have received it: codes and many
/// refresh tokens are valid for one use.
public struct OAuthClient: Sendable {
    /// The address of the token endpoint.
    package let endpoint: OriginURL

    let client: ServiceClient
    private let now: @Sendable () -> Int64

    /// Creates a client of an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: an address with https, unless it is on this machine.
    ///   - client: sends the requests, such as a library's `serviceClient`.
    package init(endpoint: OriginURL, client: ServiceClient) {
        self.init(endpoint: endpoint, client: client, now: WallClock.seconds)
    }

    /// Creates a client with a clock.
    ///
    /// - Parameters:
    ///   - endpoint: an address with https, unless it is on this machine.
    ///   - client: sends the requests.
    ///   - now: the time in seconds since 1970.
    package init(
        endpoint: OriginURL,
        client: ServiceClient,
        now: @escaping @Sendable () -> Int64
    ) {
        self.endpoint = endpoint
        self.client = client
        self.now = now
    }

    /// The tokens for the code of a log-in (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameters:
    ///   - answer: the service's answer in the browser.
    ///   - request: the request that the browser opened.
    ///   - clientSecret: the application's secret, if the service requires one.
    /// - Returns: the tokens, with the application that they are for.
    /// - Throws: `SourceError` with `unauthorized` if the service refuses, or with another code if
    ///   it sends no usable response; `CancellationError`.
    public func tokens(
        for answer: AuthorizationAnswer,
        to request: AuthorizationRequest,
        clientSecret: String? = nil
    ) async throws -> AccountTokens {
        var fields: [(name: String, value: String?)] = [
            ("grant_type", "authorization_code"), ("code", answer.code),
            ("redirect_uri", request.redirect), ("client_id", request.clientIdentifier),
            ("code_verifier", request.proof.verifier),
        ]
        if let clientSecret { fields.append(("client_secret", clientSecret)) }
        var tokens = try await self.ask(fields).tokens(at: self.now())
        tokens.clientIdentifier = request.clientIdentifier
        tokens.clientSecret = clientSecret
        return tokens
    }

    /// The tokens that replace earlier ones (RFC 6749 §6).
    ///
    /// - Parameter tokens: the earlier tokens, with a refresh token and their application.
    /// - Returns: the new tokens.
    /// - Throws: `SourceError` with `unauthorized` if the account was logged out, or with another
    ///   code if the service sends no usable response; `CancellationError`.
    public func refreshed(_ tokens: AccountTokens) async throws -> AccountTokens {
        var fields: [(name: String, value: String?)] = [
            ("grant_type", "refresh_token"), ("refresh_token", tokens.refreshToken),
            ("client_id", tokens.clientIdentifier),
        ]
        if let secret = tokens.clientSecret { fields.append(("client_secret", secret)) }
        return try await self.ask(fields).tokens(at: self.now(), replacing: tokens)
    }

    private func ask(_ fields: [(name: String, value: String?)]) async throws -> TokenAnswer {
        let host = self.endpoint.authority
        let answer = try await self.client.send(
            ServiceRequest(
                method: "POST",
                url: self.endpoint,
                headers: HTTPHeaderList([
                    try HTTPHeader(
                        name: "Content-Type",
                        value: "application/x-www-form-urlencoded"
                    ),
                    try HTTPHeader(name: "Accept", value: "application/json"),
                ]),
                body: FormBody(fields).bytes,
                isRepeatable: false,
                subject: "a token"
            )
        )
        do throws(TokenAnswer.Failure) {
            return try TokenAnswer(answer.body)
        } catch {
            switch error {
            case .refused where answer.status == 429:
                throw SourceError.throttled("a token", answer: answer, host: host)
            case .refused where answer.status >= 500:
                throw SourceError.failed("a token", status: answer.status, host: host)
            case .refused(let error, let explanation):
                let why = (explanation ?? error).shownOnOneLine()
                throw SourceError(
                    .unauthorized,
                    "\(host) refuses a token (\(why)); log in again.",
                    cause: OAuthError(error: error),
                    host: host,
                    status: answer.status
                )
            case .noObject, .noAccessToken, .unusableToken, .unknownTokenType, .tooLarge:
                guard answer.status < 500, answer.status != 429 else {
                    throw SourceError.failed("a token", status: answer.status, host: host)
                }
                throw SourceError.badAnswer(
                    "a token",
                    "a response without a token",
                    status: answer.status,
                    host: host
                )
            }
        }
    }
}

/// The refusal of a token endpoint (RFC 6749 §5.2).
public struct OAuthError: Error, Hashable, Sendable {
    /// The name of the error: `invalid_grant` if the refresh token or the code is no longer valid.
    public let error: String
}
