// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
/// A browser that a program opens, or asks its user to open, and that ends at a ``LoopbackRedirect``.
package struct LoopbackBrowser: AuthorizationBrowser {
    private let redirect: LoopbackRedirect
    private let show: @Sendable (AuthorizationRequest) -> Void

    /// A log-in that ends at a listener.
    ///
    /// - Parameters:
    ///   - redirect: listens for the state of the request.
    ///   - show: shows the user the address of the page; does not wait.
    package init(
        _ redirect: LoopbackRedirect,
        show: @escaping @Sendable (AuthorizationRequest) -> Void
    ) {
        self.redirect = redirect
        self.show = show
    }

    /// Shows the page, waits for its answer, and listens no more.
    ///
    /// - Throws: as ``LoopbackRedirect/answer()``.
    package func answer(
        to request: AuthorizationRequest
    ) async throws -> AuthorizationAnswer {
        self.show(request)
        return try await self.redirect.answer()
    }
}
#endif
