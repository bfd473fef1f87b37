// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
/// A browser for a log-in that ends at a ``LoopbackRedirect``.
package struct LoopbackBrowser: AuthorizationBrowser {
    private let redirect: LoopbackRedirect
    private let show: @Sendable (AuthorizationRequest) -> Void

    /// Creates a browser for a listener.
    ///
    /// - Parameters:
    ///   - redirect: a listener that was started with the state of the request.
    ///   - show: shows the user the address of the page, or opens it, without waiting.
    package init(
        _ redirect: LoopbackRedirect,
        show: @escaping @Sendable (AuthorizationRequest) -> Void
    ) {
        self.redirect = redirect
        self.show = show
    }

    /// Shows the page, waits for its answer, and stops listening.
    ///
    /// - Throws: the errors of ``LoopbackRedirect/answer()``.
    package func answer(
        to request: AuthorizationRequest
    ) async throws -> AuthorizationAnswer {
        self.show(request)
        return try await self.redirect.answer()
    }
}
#endif
