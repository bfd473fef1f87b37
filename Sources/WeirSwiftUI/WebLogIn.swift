// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
public import AuthenticationServices
import Foundation
public import WeirClouds
import WeirSource

/// Logs a user in to a service with the system's browser (`ASWebAuthenticationSession`).
///
///     let request = AuthorizationRequest(
///         at: .yandex,
///         clientIdentifier: "0123456789abcdef",
///         redirect: "my-player://callback"
///     )
///     let browser = WebLogIn(over: window)
///     let tokens = try await client.logIn(with: request, in: browser)
///
/// The `redirect` of the request decides where the log-in ends: at a scheme of the application's own, or at an
/// https URL whose host is one of its associated domains. tvOS and watchOS have no window for the page.
@MainActor
public final class WebLogIn: AuthorizationBrowser {
    private let window: ASPresentationAnchor
    private let isPrivate: Bool

    /// Makes a browser over a window.
    ///
    /// - Parameters:
    ///   - window: the window over which the page appears.
    ///   - isPrivate: whether the page ignores earlier log-ins, and leaves no cookies.
    public init(over window: ASPresentationAnchor, isPrivate: Bool = false) {
        self.window = window
        self.isPrivate = isPrivate
    }

    /// Shows the page of a request, and waits for the URL at which it ends.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if the service refused, with `badAnswer` if the
    ///   URL is not an answer to this request, with `invalidRequest` if the page cannot be shown or the redirect
    ///   URL cannot be used; `CancellationError` if the task was cancelled or the user closed the page.
    public func answer(to request: AuthorizationRequest) async throws -> AuthorizationAnswer {
        let target = try RedirectTarget(request.redirect)
        let end = try await WebPage.end { ended in
            WebPage(
                request.page,
                until: target,
                over: self.window,
                isPrivate: self.isPrivate,
                ended
            )
        }
        return try AuthorizationAnswer(end, to: request)
    }
}

/// A page in the system's browser.
@MainActor
private final class WebPage: NSObject, LogInPage, ASWebAuthenticationPresentationContextProviding {
    private let window: ASPresentationAnchor
    private let session: ASWebAuthenticationSession

    init(
        _ page: URL,
        until target: RedirectTarget,
        over window: ASPresentationAnchor,
        isPrivate: Bool,
        _ ended: @escaping @Sendable (Result<URL, any Error>) -> Void
    ) {
        let callback: ASWebAuthenticationSession.Callback =
            switch target {
            case .scheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        self.window = window
        // The system calls the closure on a queue of its own, where a closure of the main actor would end the
        // process.
        self.session = ASWebAuthenticationSession(url: page, callback: callback) {
            @Sendable url, error in
            ended(Self.result(url, error))
        }
        super.init()
        self.session.presentationContextProvider = self
        self.session.prefersEphemeralWebBrowserSession = isPrivate
    }

    func start() -> Bool { self.session.start() }

    func cancel() { self.session.cancel() }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
        self.window
    }

    private nonisolated static func result(
        _ url: URL?,
        _ error: (any Error)?
    ) -> Result<URL, any Error> {
        if let url { return .success(url) }
        switch error {
        // A user who closes the page has changed their mind; this is not a failure.
        case ASWebAuthenticationSessionError.canceledLogin?: return .failure(CancellationError())
        case let error:
            return .failure(
                SourceError(
                    .invalidRequest,
                    "The page of the log-in could not be shown; try again when the application's window is on the screen.",
                    cause: error
                )
            )
        }
    }
}
#endif
