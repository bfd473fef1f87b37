// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("Tokens in a file")
struct FileTokenStoreTests {
    private let folder = TemporaryDirectory()
    private let me = AccountID(service: "yandex", name: "me")
    private let you = AccountID(service: "yandex", name: "you")
    private var store: FileTokenStore { FileTokenStore(directory: self.folder.path(of: "a/weir")) }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try PrivateFile.makeDirectory(self.folder.path(of: "a/weir"))
        try text.write(toFile: self.store.path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: self.store.path
        )
    }

    @Test("without a file there are no accounts, and reading creates no file")
    func empty() throws {
        #expect(try self.store.accounts().isEmpty)
        #expect(try self.store.tokens(of: self.me) == nil)
        #expect(try self.store.remove(self.me) == false)
        #expect(!FileManager.default.fileExists(atPath: self.folder.path(of: "a")))
    }

    @Test("another store reads the saved tokens, with every field")
    func saved() throws {
        let tokens = AccountTokens(
            accessToken: "a/\"ü",
            refreshToken: "r",
            expirySeconds: 1_800_000_000,
            clientIdentifier: "c",
            clientSecret: "s",
            scope: "cloud_api:disk.read"
        )
        try self.store.save(tokens, of: self.you)
        try self.store.save(AccountTokens(accessToken: "b"), of: self.me)
        #expect(try self.store.tokens(of: self.you) == tokens)
        #expect(try self.store.tokens(of: self.me) == AccountTokens(accessToken: "b"))
        #expect(try self.store.accounts() == [self.me, self.you])
        #expect(try self.store.remove(self.you))
        #expect(try self.store.remove(self.you) == false)
        #expect(try self.store.accounts() == [self.me])
    }

    @Test("the file and its neighbours belong to the owner alone, and no temporary file stays")
    func modes() async throws {
        try self.store.save(AccountTokens(accessToken: "a"), of: self.me)
        _ = try await self.store.update(self.me) { _ in AccountTokens(accessToken: "b") }
        let directory = self.folder.path(of: "a/weir")
        #expect(try self.mode(directory) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(names.contains("accounts.json"))
        #expect(!names.contains { $0.hasSuffix(".new") })
        for name in names { #expect(try self.mode("\(directory)/\(name)") == 0o600) }
    }

    @Test("a temporary file that a crash left does not prevent a save")
    func leftover() throws {
        try self.write("{\"version\":1,\"accounts\":[]}")
        try "half".write(toFile: "\(self.store.path).new", atomically: false, encoding: .utf8)
        try self.store.save(AccountTokens(accessToken: "a"), of: self.me)
        #expect(try self.store.tokens(of: self.me)?.accessToken == "a")
    }

    @Test("a file that others may read is refused", arguments: [0o640, 0o604, 0o620, 0o666])
    func readable(_ mode: Int) throws {
        try self.write("{\"version\":1,\"accounts\":[]}", mode: mode)
        let error = #expect(throws: SourceError.self) { try self.store.accounts() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.ownerMessage.contains("chmod 600 \(self.store.path)") == true)
        #expect(error?.message.contains(self.store.path) == false)
        #expect(throws: SourceError.self) {
            try self.store.save(AccountTokens(accessToken: "a"), of: self.me)
        }
    }

    @Test(
        "a file of a newer version, or a damaged one, is refused and not changed",
        arguments: [
            "{\"version\":2,\"accounts\":{\"new\":true}}", "", "{", "[]", "null",
            "{\"version\":1}", "{\"version\":\"1\",\"accounts\":[]}", "{\"version\":0}",
            "{\"version\":1,\"accounts\":[{\"service\":\"s\",\"name\":\"n\"}]}",
            "{\"version\":1e99,\"accounts\":[]}",
            "{\"version\":1,\"accounts\":[{\"accessToken\":\"hush\",\"service\":\"s\"}]}",
            String(repeating: "[", count: 100_000),
        ]
    )
    func damaged(_ text: String) async throws {
        try self.write(text)
        let error = #expect(throws: SourceError.self) { try self.store.accounts() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.ownerMessage.contains(self.store.path) == true)
        #expect(error?.message.contains(self.store.path) == false)
        #expect(error?.ownerMessage.contains("hush") == false)
        #expect(throws: SourceError.self) {
            try self.store.save(AccountTokens(accessToken: "a"), of: self.me)
        }
        await #expect(throws: SourceError.self) {
            _ = try await self.store.update(self.me) { _ in AccountTokens(accessToken: "a") }
        }
        #expect(try String(contentsOfFile: self.store.path, encoding: .utf8) == text)
    }

    @Test("every cut file and every flipped bit gives accounts or an error")
    func anyBytes() throws {
        let tokens = AccountTokens(accessToken: "a", refreshToken: "r", expirySeconds: 5)
        let bytes = try AccountsFile.encode([self.me: tokens])
        for end in 0..<bytes.count {
            _ = try? AccountsFile.decode(Array(bytes[..<end]), from: "p")
        }
        for index in 0..<bytes.count * 8 {
            var bytes = bytes
            bytes[index / 8] ^= 1 << UInt8(index % 8)
            _ = try? AccountsFile.decode(bytes, from: "p")
        }
        #expect(try AccountsFile.decode(bytes, from: "p") == [self.me: tokens])
    }

    @Test("a folder or a pipe in the file's place is refused without a wait")
    func noFile() throws {
        try PrivateFile.makeDirectory(self.store.path)
        #expect(throws: SourceError.self) { try self.store.accounts() }
        try FileManager.default.removeItem(atPath: self.store.path)
        #expect(mkfifo(self.store.path, 0o600) == 0)
        #expect(throws: SourceError.self) { try self.store.accounts() }
    }

    @Test("many concurrent saves lose nothing")
    func together() async throws {
        let store = self.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let account = AccountID(service: "s", name: "\(number)")
                    try store.save(AccountTokens(accessToken: "\(number)"), of: account)
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.accounts().count == 40)
    }

    @Test("a refresh token is used once for many concurrent refreshes")
    func once() async throws {
        let store = self.store
        let me = self.me
        try store.save(AccountTokens(accessToken: "old", refreshToken: "1"), of: me)
        let used = Watched(0)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.update(me) { tokens in
                        let tokens = try #require(tokens)
                        guard tokens.accessToken == "old" else { return tokens }
                        await Task.yield()
                        used.update { $0 += 1 }
                        return AccountTokens(accessToken: "new", refreshToken: "2")
                    }.accessToken
                }
            }
            for try await token in group { #expect(token == "new") }
        }
        #expect(used.value == 1)
    }

    @Test("a failed refresh keeps the tokens and lets the next one try")
    func failed() async throws {
        struct Refused: Error {}
        try self.store.save(AccountTokens(accessToken: "old"), of: self.me)
        await #expect(throws: Refused.self) {
            _ = try await self.store.update(self.me) { _ in throw Refused() }
        }
        let tokens = try await self.store.update(self.me) { old in
            AccountTokens(accessToken: "\(old?.accessToken ?? "")er")
        }
        #expect(tokens.accessToken == "older")
    }

    @Test("a log-in or a log-out during a refresh takes precedence")
    func meanwhile() async throws {
        let store = self.store
        try store.save(AccountTokens(accessToken: "old"), of: self.me)
        let tokens = try await store.update(self.me) { _ in
            try store.save(AccountTokens(accessToken: "log-in"), of: self.me)
            return AccountTokens(accessToken: "refreshed")
        }
        #expect(tokens.accessToken == "log-in")
        #expect(try store.tokens(of: self.me)?.accessToken == "log-in")
        let error = await #expect(throws: SourceError.self) {
            _ = try await store.update(self.me) { _ in
                _ = try store.remove(self.me)
                return AccountTokens(accessToken: "refreshed")
            }
        }
        #expect(error?.code == .unauthorized)
        #expect(try store.tokens(of: self.me) == nil)
    }

    @Test("a refresh waits up to a minute for another process")
    func waiting() async throws {
        let clock = ManualClock()
        let directory = self.folder.path(of: "a/weir")
        let store = FileTokenStore(directory: directory, clock: clock)
        try PrivateFile.makeDirectory(directory)
        let path = "\(directory)/\(AccountsFile.lockName(of: self.me))"
        let lock = try #require(try FileLock(path, waiting: false))
        #expect(try FileLock(path, waiting: false) == nil)
        let me = self.me
        async let tokens = store.update(me) { _ in AccountTokens(accessToken: "new") }
        await clock.waitForSleepers(1)
        #expect(try store.tokens(of: me) == nil)
        // The lock does not block the other accounts.
        _ = try await store.update(self.you) { _ in AccountTokens(accessToken: "other") }
        lock.release()
        clock.advance(by: FileTokenStore.interval)
        #expect(try await tokens.accessToken == "new")

        let stuck = try #require(try FileLock(path, waiting: false))
        let late = Task { try await store.update(me) { _ in AccountTokens(accessToken: "late") } }
        var steps = 0
        let limit = Int(FileTokenStore.patience / FileTokenStore.interval)
        while steps < limit {
            await clock.waitForSleepers(1)
            clock.advance(by: FileTokenStore.interval)
            steps += 1
        }
        let error = await #expect(throws: SourceError.self) { _ = try await late.value }
        #expect(error?.code == .timedOut)
        #expect(error?.ownerMessage.contains("yandex:me") == true)
        stuck.release()
    }

    @Test("a waiting task can be cancelled")
    func cancelled() async throws {
        let clock = ManualClock()
        let directory = self.folder.path(of: "a/weir")
        let store = FileTokenStore(directory: directory, clock: clock)
        try PrivateFile.makeDirectory(directory)
        let path = "\(directory)/\(AccountsFile.lockName(of: self.me))"
        let lock = try #require(try FileLock(path, waiting: false))
        let me = self.me
        let task = Task { try await store.update(me) { _ in AccountTokens(accessToken: "x") } }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        lock.release()
    }
}
