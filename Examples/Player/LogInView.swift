// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import AuthenticationServices
import PlayerModel
import SwiftUI

/// The log-in view: it opens the page of Yandex, and shows a failure.
struct LogInView: View {
    let session: SessionModel

    @Environment(\.webAuthenticationSession) private var browser

    var body: some View {
        VStack(spacing: 16) {
            Button("Log in to Yandex.Disk") {
                Task { await self.session.logIn(self.agree) }
            }
            if let message = self.session.message {
                Text(message).foregroundStyle(.secondary)
            }
        }
        .padding()
    }

    /// Shows the page; a user who closes the page cancels the log-in, which is not a failure.
    private func agree(_ page: URL) async throws -> URL {
        do {
            return try await self.browser.authenticate(
                using: page,
                callback: .customScheme(SessionModel.redirectScheme),
                additionalHeaderFields: [:]
            )
        } catch ASWebAuthenticationSessionError.canceledLogin {
            throw CancellationError()
        }
    }
}
#endif
