// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Shows the page of a service to a user, and waits until the service redirects back.
///
/// Only this part of a log-in differs between platforms:
/// ``OAuthClient/logIn(with:clientSecret:in:)`` does the rest. A program on macOS or Linux listens
/// on a ``LoopbackRedirect``. An application on iOS, visionOS or macOS has `WebLogIn` of
/// WeirSwiftUI.
public protocol AuthorizationBrowser: Sendable {
    /// Shows ``AuthorizationRequest/page``, and waits for the address to which the service
    /// redirects.
    ///
    /// There is no time limit: a user may have to look for a password.
    ///
    /// - Parameter request: the request for the service.
    /// - Returns: the service's answer; ``AuthorizationAnswer/init(_:to:)`` reads it from the
    ///   address.
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if the service refused, with
    ///   `badAnswer` if the address does not answer this request; `CancellationError` if the task
    ///   was cancelled or the user closed the page.
    func answer(to request: AuthorizationRequest) async throws -> AuthorizationAnswer
}

extension OAuthClient {
    /// Logs a user in: shows the service's page, and redeems the code that it returns.
    ///
    ///     let client = try OAuthClient(.yandex, client: library.serviceClient)
    ///     let tokens = try await client.logIn(with: request, in: browser)
    ///     try store.save(tokens, of: account)
    ///
    /// - Parameters:
    ///   - request: the request for the service, for one log-in.
    ///   - clientSecret: the application's secret, if the service requires one.
    ///   - browser: shows the page.
    /// - Returns: the tokens, with the application that they are for.
    /// - Throws: the errors of ``AuthorizationBrowser/answer(to:)`` and
    ///   ``tokens(for:to:clientSecret:)``.
    public func logIn(
        with request: AuthorizationRequest,
        clientSecret: String? = nil,
        in browser: some AuthorizationBrowser
    ) async throws -> AccountTokens {
        let answer = try await browser.answer(to: request)
        return try await self.tokens(for: answer, to: request, clientSecret: clientSecret)
    }
}
