// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("The credential of an OAuth account", .timeLimit(.minutes(2)))
struct OAuthCredentialTests {
    /// A store whose writes fail.
    private final class BrokenStore: TokenStore {
        private let memory: MemoryTokenStore

        init(_ memory: MemoryTokenStore) {
            self.memory = memory
        }

        func accounts() throws -> [AccountID] { self.memory.accounts() }
        func tokens(of account: AccountID) throws -> AccountTokens? {
            self.memory.tokens(of: account)
        }
        func save(_ tokens: AccountTokens, of account: AccountID) throws { throw Self.failure }
        func remove(_ account: AccountID) throws -> Bool { throw Self.failure }
        func update(
            _ account: AccountID,
            _ body: (AccountTokens?) async throws -> AccountTokens
        ) async throws -> AccountTokens {
            _ = try await body(self.memory.tokens(of: account))
            throw Self.failure
        }

        static let failure = SourceError(.invalidRequest, "The disk is full.")
    }

    private let account = AccountID(service: "yandex", name: "me")
    private let now = Watched<Int64>(1_000_000)

    private func tokens(_ access: String, _ refresh: String? = "r1", expiry: Int64? = 1_003_600)
        -> AccountTokens
    {
        AccountTokens(
            accessToken: access,
            refreshToken: refresh,
            expirySeconds: expiry,
            clientIdentifier: "app"
        )
    }

    private func store(_ tokens: AccountTokens?) -> MemoryTokenStore {
        MemoryTokenStore(tokens.map { [self.account: $0] } ?? [:])
    }

    /// Returns `a2`, `a3`, … and `r2`, `r3`, …; each token is valid for an hour.
    private var endpoint: AnsweringTransport {
        AnsweringTransport { _, index in Self.fresh(index + 2) }
    }

    private static func fresh(_ number: Int, life: Int = 3600) -> AnsweringTransport.Answer {
        .init(
            200,
            [("Content-Type", "application/json")],
            """
            {"access_token":"a\(number)","refresh_token":"r\(number)","expires_in":\(life),\
            "token_type":"bearer"}
            """
        )
    }

    private func credential(
        _ store: any TokenStore,
        _ endpoint: AnsweringTransport,
        _ observer: SourceObserver? = nil
    ) throws -> OAuthCredential {
        let now = self.now
        return OAuthCredential(
            account: self.account,
            store: store,
            client: OAuthClient(
                endpoint: try OriginURL("https://oauth.test/token"),
                client: endpoint.client,
                now: { now.value }
            ),
            now: { now.value },
            observer: observer
        )
    }

    private func form(_ request: HTTPTransportRequest?) -> String {
        String(decoding: request?.body ?? [], as: UTF8.self)
    }

    private func settle(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("is used without a request while it is valid")
    func isUsed() async throws {
        let endpoint = self.endpoint
        let credential = try self.credential(self.store(self.tokens("a1")), endpoint)
        #expect(try await credential.credential().token == "a1")
        let endless = try self.credential(self.store(self.tokens("e", nil, expiry: 5)), endpoint)
        #expect(try await endless.credential().token == "e")
        let unknown = try self.credential(self.store(self.tokens("u", expiry: nil)), endpoint)
        #expect(try await unknown.credential().token == "u")
        #expect(endpoint.requests.value.isEmpty)
    }

    @Test("is refreshed after its end by one request for a hundred callers")
    func isRefreshedOnce() async throws {
        let gate = Gate()
        let endpoint = AnsweringTransport { _, index in
            try await gate.wait()
            return Self.fresh(index + 2)
        }
        let store = self.store(self.tokens("a1", expiry: 999_999))
        let events = Watched<[String]>([])
        let credential = try self.credential(store, endpoint) { event in
            if case .credentialRefreshed(let account) = event {
                events.update { $0.append(account) }
            }
        }
        let askers = (0..<100).map { _ in Task { try await credential.credential().token } }
        try await endpoint.requests.wait { $0.count == 1 }
        gate.open()
        for asker in askers { #expect(try await asker.value == "a2") }
        #expect(endpoint.requests.value.count == 1 && events.value == ["yandex:me"])
        let form = self.form(endpoint.requests.value.first)
        #expect(form == "grant_type=refresh_token&refresh_token=r1&client_id=app")
        let kept = store.tokens(of: self.account)
        #expect(kept?.refreshToken == "r2" && kept?.expirySeconds == 1_003_600)
        #expect(kept?.clientIdentifier == "app")
    }

    @Test("is refreshed ahead of its end without a wait, also when it comes from the store")
    func isRefreshedAhead() async throws {
        let gate = Gate()
        let endpoint = AnsweringTransport { _, index in
            try await gate.wait()
            return Self.fresh(index + 2)
        }
        let store = self.store(self.tokens("a1"))
        let credential = try self.credential(store, endpoint)
        self.now.update { $0 = 1_003_539 }
        // The token comes from the store only now. The margin is a fifth of its remaining life, a
        // minute at most.
        #expect(try await credential.credential().token == "a1")
        self.now.update { $0 = 1_003_590 }
        for _ in 0..<10 { #expect(try await credential.credential().token == "a1") }
        try await endpoint.requests.wait { $0.count == 1 }
        gate.open()
        try await self.settle { store.tokens(of: self.account)?.accessToken == "a2" }
        while try await credential.credential().token != "a2" { await Task.yield() }
        #expect(endpoint.requests.value.count == 1)
    }

    @Test("is used to its end if early refreshes fail, of which one is tried every five seconds")
    func survivesFailure() async throws {
        let endpoint = AnsweringTransport { _, index in
            index < 2 ? .init(503) : Self.fresh(index + 2)
        }
        let credential = try self.credential(self.store(self.tokens("a1")), endpoint)
        _ = try await credential.credential()
        self.now.update { $0 = 1_003_560 }
        for _ in 0..<50 {
            #expect(try await credential.credential().token == "a1")
            await Task.yield()
        }
        try await endpoint.requests.wait { $0.count == 1 }
        // The first attempt may still run after five seconds; the next attempt then waits for it.
        self.now.update { $0 += 5 }
        while endpoint.requests.value.count < 2 {
            try Task.checkCancellation()
            #expect(try await credential.credential().token == "a1")
            await Task.yield()
        }
        #expect(try await credential.credential().token == "a1")
        self.now.update { $0 = 1_003_600 }
        #expect(try await credential.credential().token == "a4")
    }

    @Test(
        "is refreshed after a refusal, and a refused older one is replaced by the known newer one"
    )
    func isRefreshedAfterRefusal() async throws {
        let endpoint = self.endpoint
        let credential = try self.credential(self.store(self.tokens("a1")), endpoint)
        #expect(try await credential.refused(Credential(token: "a1")))
        #expect(try await credential.credential().token == "a2")
        #expect(try await credential.refused(Credential(token: "a1")))
        #expect(endpoint.requests.value.count == 1)
        #expect(try await credential.refused(Credential(token: "a2")))
        #expect(try await credential.credential().token == "a3")
        #expect(self.form(endpoint.requests.value.last).contains("refresh_token=r2"))
    }

    @Test("is lost when the service refuses to refresh it, and the error says what to do")
    func isLost() async throws {
        let endpoint = AnsweringTransport { _, _ in
            .init(400, [], "{\"error\":\"invalid_grant\",\"error_description\":\"expired r1\"}")
        }
        let store = self.store(self.tokens("a1", expiry: 1))
        let credential = try self.credential(store, endpoint)
        let error = await thrownError { _ = try await credential.credential() }
        #expect(error?.code == .unauthorized)
        #expect(error?.ownerMessage.contains("weir login yandex --account me") == true)
        let kept = store.tokens(of: self.account)
        #expect(kept?.isRefreshRefused == true && kept?.renews == false, "a list can say so")
        #expect(kept?.accessToken == "a1" && kept?.refreshToken == "r1")
        let refused = await thrownError {
            _ = try await credential.refused(Credential(token: "a1"))
        }
        #expect(refused?.code == .unauthorized)
        let single = try self.credential(self.store(self.tokens("a1", nil)), endpoint)
        let final = await thrownError { _ = try await single.refused(Credential(token: "a1")) }
        #expect(final?.code == .unauthorized)
    }

    @Test(
        "is not lost when the service is in trouble, whatever its JSON",
        arguments: [
            (500, "{\"error\":\"server_error\"}", .originFailed),
            (503, "{\"error\":\"temporarily_unavailable\"}", .originFailed),
            (429, "{\"error\":\"slow_down\"}", .throttled), (502, "<html>", .originFailed),
            (200, "<html>", .badAnswer),
        ] as [(Int, String, SourceError.Code)]
    )
    func isNotLost(_ status: Int, _ body: String, _ code: SourceError.Code) async throws {
        let endpoint = AnsweringTransport { _, index in
            index == 0 ? .init(status, [], body) : Self.fresh(2)
        }
        let credential = try self.credential(self.store(self.tokens("a1", expiry: 1)), endpoint)
        let error = await thrownError { _ = try await credential.credential() }
        #expect(error?.code == code)
        #expect(error?.message.contains("log in") == false)
        #expect(try await credential.credential().token == "a2")
    }

    @Test("is reported as lost, though the store cannot save that")
    func isLostUnwritten() async throws {
        let endpoint = AnsweringTransport { _, _ in .init(400, [], "{\"error\":\"invalid_grant\"}")
        }
        let store = BrokenStore(self.store(self.tokens("a1", expiry: 1)))
        let credential = try self.credential(store, endpoint)
        let error = await thrownError { _ = try await credential.credential() }
        #expect(error?.code == .unauthorized && error?.message.contains("log in again") == true)
    }

    @Test("is refreshed again after the next log-in, also after a refused refresh")
    func isRegained() async throws {
        let store = self.store(self.tokens("a1", expiry: 1))
        let endpoint = AnsweringTransport { _, index in
            index == 0 ? .init(400, [], "{\"error\":\"invalid_grant\"}") : Self.fresh(3)
        }
        let credential = try self.credential(store, endpoint)
        _ = await thrownError { _ = try await credential.credential() }
        #expect(store.tokens(of: self.account)?.renews == false)
        store.save(self.tokens("b1", "s1", expiry: 999_000), of: self.account)
        #expect(try await credential.credential().token == "a3")
        #expect(store.tokens(of: self.account)?.renews == true)
    }

    @Test("is saved before it is used: a failing store makes it useless")
    func isStoredFirst() async throws {
        let endpoint = self.endpoint
        let store = BrokenStore(self.store(self.tokens("a1", expiry: 1)))
        let credential = try self.credential(store, endpoint)
        let error = await thrownError { _ = try await credential.credential() }
        #expect(error?.message == "The disk is full.")
        #expect(endpoint.requests.value.count == 1)
    }

    @Test("is read from the store if another process has refreshed it first")
    func isTaken() async throws {
        let endpoint = self.endpoint
        let store = self.store(self.tokens("a1"))
        let credential = try self.credential(store, endpoint)
        #expect(try await credential.credential().token == "a1")
        store.save(self.tokens("other", "r9"), of: self.account)
        #expect(try await credential.refused(Credential(token: "a1")))
        #expect(try await credential.credential().token == "other")
        #expect(endpoint.requests.value.isEmpty)
    }

    @Test("is never replaced by the older one of an earlier refresh")
    func isNeverOlder() async throws {
        let endpoint = AnsweringTransport { _, index in
            index == 1 ? .init(503) : Self.fresh(index + 2)
        }
        let store = self.store(self.tokens("a1"))
        let credential = try self.credential(store, endpoint)
        #expect(try await credential.refused(Credential(token: "a1")))
        #expect(try await credential.credential().token == "a2")
        _ = await thrownError { _ = try await credential.refused(Credential(token: "a2")) }
        store.save(self.tokens("other", "r9"), of: self.account)
        #expect(try await credential.credential().token == "other")
        #expect(try await credential.refused(Credential(token: "other")))
        #expect(try await credential.credential().token == "a4")
        #expect(self.form(endpoint.requests.value.last).contains("refresh_token=r9"))
    }

    @Test("is gone when the account is logged out meanwhile")
    func isGone() async throws {
        let none = try self.credential(self.store(nil), self.endpoint)
        let missing = await thrownError { _ = try await none.credential() }
        #expect(missing?.code == .unauthorized && missing?.message.contains("weir login") == true)
        let store = self.store(self.tokens("a1"))
        let credential = try self.credential(store, self.endpoint)
        #expect(try await credential.credential().token == "a1")
        _ = store.remove(self.account)
        let before = await thrownError {
            _ = try await credential.refused(Credential(token: "a1"))
        }
        #expect(before?.code == .unauthorized)
        let other = self.store(self.tokens("a1", expiry: 1))
        let account = self.account
        let during = AnsweringTransport { _, index in
            _ = other.remove(account)
            return Self.fresh(index + 2)
        }
        let late = try self.credential(other, during)
        let error = await thrownError { _ = try await late.credential() }
        #expect(error?.code == .unauthorized && other.tokens(of: self.account) == nil)
    }

    @Test("accepts any time of expiry that a file may hold", arguments: [Int64.min, .max, 0, -1])
    func takesAnyEnd(_ expiry: Int64) async throws {
        let credential = try self.credential(
            self.store(self.tokens("a1", expiry: expiry)),
            self.endpoint
        )
        #expect(try await credential.credential().token == (expiry == .max ? "a1" : "a2"))
    }

    @Test("lets a cancelled caller go at once, and harms no other")
    func letsLeave() async throws {
        let gate = Gate()
        let endpoint = AnsweringTransport { _, index in
            try await gate.wait()
            return Self.fresh(index + 2)
        }
        let credential = try self.credential(self.store(self.tokens("a1", expiry: 1)), endpoint)
        let leaving = Task { try await credential.credential() }
        try await endpoint.requests.wait { $0.count == 1 }
        let staying = Task { try await credential.credential().token }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { _ = try await leaving.value }
        gate.open()
        #expect(try await staying.value == "a2")
    }
}
