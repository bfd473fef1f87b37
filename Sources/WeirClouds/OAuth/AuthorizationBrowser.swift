// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Shows a user the page of a service, and waits until the page leads back.
///
/// Nothing else of a log-in differs between platforms: ``OAuthClient/logIn(with:clientSecret:in:)`` does the rest. A program
/// on macOS or Linux listens on a ``LoopbackRedirect``; an application on iOS, visionOS or macOS has `WebLogIn` of
/// WeirSwiftUI.
public protocol AuthorizationBrowser: Sendable {
    /// Shows ``AuthorizationRequest/page``, and waits for the address that it ends at.
    ///
    /// There is no bound on the time: a user may have to look for a password.
    ///
    /// - Parameter request: what the user is sent to the service with.
    /// - Returns: what the service sent the user back with: ``AuthorizationAnswer/init(_:to:)`` reads it from the address.
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if the service refused, with `badAnswer` if the address is
    ///   no answer to this request; `CancellationError` if the task was cancelled or the user closed the page.
    func answer(to request: AuthorizationRequest) async throws -> AuthorizationAnswer
}

extension OAuthClient {
    /// Logs a user in: has the service's page shown, and redeems the code that comes back.
    ///
    ///     let client = try OAuthClient(.yandex, client: library.serviceClient)
    ///     let tokens = try await client.logIn(with: request, in: browser)
    ///     try store.save(tokens, of: account)
    ///
    /// - Parameters:
    ///   - request: what the user is sent to the service with; good for one log-in.
    ///   - clientSecret: the application's secret, where the service wants one.
    ///   - browser: shows the page.
    /// - Returns: tokens, and the application that they are for.
    /// - Throws: as ``AuthorizationBrowser/answer(to:)`` and ``tokens(for:to:clientSecret:)``.
    public func logIn(
        with request: AuthorizationRequest,
        clientSecret: String? = nil,
        in browser: some AuthorizationBrowser
    ) async throws -> AccountTokens {
        let answer = try await browser.answer(to: request)
        return try await self.tokens(for: answer, to: request, clientSecret: clientSecret)
    }
}
