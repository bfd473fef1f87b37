// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds

/// The tokens that `Fixtures/format-1/make` stored with the program of commit 4550d8f.
@Suite("Accounts of the first format")
struct FirstFormatAccountsTests {
    private let folder = TemporaryDirectory()
    private var path: String { self.folder.path(of: "accounts.json") }
    private var store: FileTokenStore { FileTokenStore(directory: self.folder.path) }

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/format-1/config/accounts.json")
        try FileManager.default.copyItem(atPath: root.path, toPath: self.path)
        #expect(chmod(self.path, 0o600) == 0)
    }

    private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: self.path)) }

    private static let plain = AccountID(service: "yandex", name: "plain")
    private static let renewed = AccountID(service: "yandex", name: "renewed")

    @Test("every account has its tokens, and reading does not change the file")
    func read() throws {
        let before = try self.bytes()
        #expect(try self.store.accounts() == [Self.plain, Self.renewed])
        let plain = try #require(try self.store.tokens(of: Self.plain))
        #expect(plain == AccountTokens(accessToken: "y0_a-token-of-the-fixture"))
        let renewed = try #require(try self.store.tokens(of: Self.renewed))
        #expect(renewed.accessToken.hasPrefix("y0_") && renewed.accessToken.count == 67)
        #expect(renewed.refreshToken?.hasPrefix("1:") == true && renewed.refreshToken?.count == 66)
        #expect(renewed.clientIdentifier == "weir-test-client")
        #expect((renewed.expirySeconds ?? 0) > 1_700_000_000)
        #expect(try self.bytes() == before)
    }

    @Test("a change of one account does not change the other")
    func change() throws {
        let renewed = try self.store.tokens(of: Self.renewed)
        try self.store.save(AccountTokens(accessToken: "another"), of: Self.plain)
        #expect(try self.store.tokens(of: Self.renewed) == renewed)
        #expect(try self.store.tokens(of: Self.plain)?.accessToken == "another")
    }

    @Test("a newer file is refused with a sentence at every call, and stays the same byte for byte")
    func newer() throws {
        let text = String(decoding: try self.bytes(), as: UTF8.self)
        let newer = text.replacingOccurrences(of: "\"version\" : 1", with: "\"version\" : 2")
        #expect(newer != text)
        try Data(newer.utf8).write(to: URL(fileURLWithPath: self.path))
        let store = self.store
        let attempts: [() throws -> Void] = [
            { _ = try store.accounts() }, { _ = try store.tokens(of: Self.plain) },
            { try store.save(AccountTokens(accessToken: "x"), of: Self.plain) },
            { _ = try store.remove(Self.plain) },
        ]
        for attempt in attempts {
            let error = #expect(throws: SourceError.self) { try attempt() }
            #expect(error?.message.contains("were written by a newer Weir (version 2") == true)
            #expect(try self.bytes() == Data(newer.utf8))
        }
    }
}
