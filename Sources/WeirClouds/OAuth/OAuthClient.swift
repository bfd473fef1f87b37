// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
import WeirSource

/// Speaks with the token endpoint of a service (RFC 6749 §3.2).
///
/// A request for tokens is never sent twice if it may have been received: codes and many refresh tokens are good for
/// one use.
public struct OAuthClient: Sendable {
    /// The address of the token endpoint.
    package let endpoint: OriginURL

    let client: ServiceClient
    private let now: @Sendable () -> Int64

    /// A client of an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: https, unless it is on this machine.
    ///   - client: sends its requests: a library's `serviceClient`.
    package init(endpoint: OriginURL, client: ServiceClient) {
        self.init(endpoint: endpoint, client: client, now: WallClock.seconds)
    }

    /// A client with a clock.
    ///
    /// - Parameters:
    ///   - endpoint: https, unless it is on this machine.
    ///   - client: sends its requests.
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

    /// Tokens for the code that a log-in brought (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameters:
    ///   - answer: what the service sent the user back with.
    ///   - request: what the user was sent there with.
    ///   - clientSecret: the application's secret, where the service wants one.
    /// - Returns: tokens, and the application that they are for.
    /// - Throws: `SourceError` with `unauthorized` if the service says no, or why there was no answer;
    ///   `CancellationError`.
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

    /// The tokens that follow others (RFC 6749 §6).
    ///
    /// - Parameter tokens: those that end; with a refresh token and the application that they were given to.
    /// - Returns: their successors.
    /// - Throws: `SourceError` with `unauthorized` if the account was logged out, or why there was no answer;
    ///   `CancellationError`.
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
                    "\(host) gives no token (\(why)); log in again.",
                    cause: OAuthRefusal(error: error),
                    host: host,
                    status: answer.status
                )
            case .noObject, .noAccessToken, .unusableToken, .unknownTokenType, .tooLarge:
                guard answer.status < 500, answer.status != 429 else {
                    throw SourceError.failed("a token", status: answer.status, host: host)
                }
                throw SourceError.badAnswer(
                    "a token",
                    "something that is none",
                    status: answer.status,
                    host: host
                )
            }
        }
    }
}

/// What a token endpoint said instead of tokens (RFC 6749 §5.2).
public struct OAuthRefusal: Error, Hashable, Sendable {
    /// The error's name: `invalid_grant` where the refresh token or the code is no longer good.
    public let error: String
}
