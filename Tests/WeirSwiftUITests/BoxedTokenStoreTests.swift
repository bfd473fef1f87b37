// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirSource

@testable import WeirSwiftUI

@Suite("Tokens in a store of sealed secrets")
struct BoxedTokenStoreTests {
    private static let me = AccountID(service: "yandex", name: "me")

    @Test("survive a restart of the application, also refreshed and refused ones")
    func tokensStay() async throws {
        let box = MemoryBox()
        let store = try BoxedTokenStore(box)
        try store.save(AccountTokens(accessToken: "one", refreshToken: "r"), of: Self.me)
        let updated = try await store.update(Self.me) { kept in
            var tokens = try #require(kept)
            tokens.accessToken = "two"
            tokens.isRefreshRefused = true
            return tokens
        }
        let next = try BoxedTokenStore(box)
        #expect(next.accounts() == [Self.me])
        #expect(next.tokens(of: Self.me) == updated)
        #expect(updated.accessToken == "two" && updated.refreshToken == "r")

        #expect(try next.remove(Self.me))
        #expect(try BoxedTokenStore(box).accounts().isEmpty)
    }

    @Test("are written only when they change")
    func unchanged() async throws {
        let box = MemoryBox()
        let store = try BoxedTokenStore(box)
        #expect(try store.remove(Self.me) == false)
        try store.save(AccountTokens(accessToken: "one"), of: Self.me)
        _ = try await store.update(Self.me) { try #require($0) }
        #expect(box.writeCount == 1)
    }

    @Test("are refused with a message, and not changed, if the store holds something else")
    func foreignBox() {
        let box = MemoryBox(Array("no".utf8))
        let error = #expect(throws: SourceError.self) { try BoxedTokenStore(box) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.ownerMessage.contains("the box of a test") == true)
        #expect(box.read() == Array("no".utf8))
    }
}
