// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import AuthenticationServices
public import SwiftUI

/// A page of a service, shown by the system: from iOS 16.4 and macOS 13.3 on, with a callback from 17.4 and 14.4 on.
@MainActor
public struct WebAuthenticationSession: Sendable {
    public func authenticate(
        using url: URL,
        callback: ASWebAuthenticationSession.Callback,
        preferredBrowserSession: BrowserSession? = nil,
        additionalHeaderFields: [String: String]
    ) async throws -> URL { unseen() }

    public enum BrowserSession: Sendable { case ephemeral }
}

extension EnvironmentValues {
    public var webAuthenticationSession: WebAuthenticationSession { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
