// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayerModel
import Testing
import Weir
import WeirClouds
import WeirTestKit

@Suite("Accounts")
@MainActor
struct AccountTests {
    private static let me = AccountID(service: "yandex", name: "me")
    private let folder = TemporaryDirectory()

    @Test("A user with tokens is logged in, until logging out")
    func restored() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let store = MemoryTokenStore([Self.me: AccountTokens(accessToken: "one")])
        let session = SessionModel(library: library, store: store, clientIdentifier: "id")
        #expect(session.disk != nil)
        await session.logOut()
        #expect(session.disk == nil)
        #expect(store.accounts().isEmpty)
        await library.close()
    }

    @Test("A user who turns back at the browser gets no message")
    func turnedBack() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let session = SessionModel(
            library: library,
            store: MemoryTokenStore(),
            clientIdentifier: "id"
        )
        await session.logIn { _ in throw CancellationError() }
        #expect(session.message == nil)
        #expect(session.disk == nil)
        await library.close()
    }

    @Test("An answer to another request is refused with a message")
    func foreignAnswer() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let session = SessionModel(
            library: library,
            store: MemoryTokenStore(),
            clientIdentifier: "id"
        )
        let answer = try #require(URL(string: "\(SessionModel.redirect)?code=1&state=other"))
        await session.logIn { page in
            let agreement = OAuthEndpoints.yandex.authorization
            #expect(page.absoluteString.hasPrefix(agreement.absoluteString))
            return answer
        }
        #expect(session.message?.contains("another log-in") == true)
        #expect(session.disk == nil)
        await library.close()
    }
}
