// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirSource
import WeirTestKit

@Suite("Tokens in memory")
struct MemoryTokenStoreTests {
    private let me = AccountID(service: "yandex", name: "me")

    @Test("are kept, listed and removed")
    func kept() throws {
        let store: any TokenStore = MemoryTokenStore([self.me: AccountTokens(accessToken: "a")])
        #expect(try store.accounts() == [self.me])
        try store.save(AccountTokens(accessToken: "b"), of: self.me)
        #expect(try store.tokens(of: self.me)?.accessToken == "b")
        #expect(try store.remove(self.me))
        #expect(try !store.remove(self.me))
    }

    @Test("updates run one after the other, and a cancelled one does not run")
    func updates() async throws {
        let store = MemoryTokenStore()
        let gate = Gate()
        let me = self.me
        let first = Task {
            try await store.update(me) { _ in
                try await gate.wait()
                return AccountTokens(accessToken: "1")
            }
        }
        try await gate.waitForWaiters(1)
        let second = Task {
            try await store.update(me) { old in
                AccountTokens(accessToken: "\(old?.accessToken ?? "none")2")
            }
        }
        let third = Task { try await store.update(me) { _ in AccountTokens(accessToken: "3") } }
        third.cancel()
        await #expect(throws: CancellationError.self) { _ = try await third.value }
        gate.open()
        #expect(try await first.value.accessToken == "1")
        #expect(try await second.value.accessToken == "12")
    }

    @Test("the only account of a service needs no name")
    func choosing() throws {
        let store = MemoryTokenStore()
        let none = #expect(throws: SourceError.self) {
            try store.account(named: nil, of: "yandex")
        }
        #expect(none?.code == .unauthorized)
        #expect(none?.message.contains("weir login yandex") == true)
        store.save(AccountTokens(accessToken: "a"), of: self.me)
        #expect(try store.account(named: nil, of: "yandex") == self.me)
        #expect(try store.account(named: "me", of: "yandex") == self.me)
        #expect(throws: SourceError.self) { try store.account(named: "you", of: "yandex") }
        #expect(throws: SourceError.self) { try store.account(named: nil, of: "other") }
        store.save(
            AccountTokens(accessToken: "b"),
            of: AccountID(service: "yandex", name: "you")
        )
        let several = #expect(throws: SourceError.self) {
            try store.account(named: nil, of: "yandex")
        }
        #expect(several?.message.contains("me, you") == true)
    }
}
