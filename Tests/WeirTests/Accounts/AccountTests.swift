// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("Accounts of a library", .timeLimit(.minutes(5)))
struct AccountTests {
    private let folder = TemporaryDirectory()
    private let url: URL

    init() throws { self.url = try #require(URL(string: "http://guarded.test/song.mp3")) }

    private func library(_ origin: GuardedOrigin, offline: Bool = false) throws -> MediaLibrary {
        var configuration = MediaLibrary.Configuration(directory: self.folder.path)
        configuration.isOffline = offline
        return try MediaLibrary(configuration, transport: origin)
    }

    private func code(_ operation: () async throws -> Void) async -> SourceError.Code? {
        do {
            try await operation()
            return nil
        } catch {
            return (error as? SourceError)?.code
        }
    }

    /// Readers with random credentials each get their own bytes or a refusal, and see only their
    /// own held bytes.
    ///
    /// One library owns the folder. A second library uses the folder through the owner, as another
    /// process would.
    @Test(
        "one credential reveals no byte, no length and no existence to another",
        arguments: 1...12
    )
    func sharesNothing(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let known = ["", "Bearer a", "Bearer b", "Basic YTpi"]
        let all = known + ["Bearer c", "bearer a", "Bearer a "]
        let origin = GuardedOrigin(known)
        let owner = try self.library(origin)
        let other = try self.library(origin)
        var fetched: Set<String> = []
        for _ in 0..<24 {
            let credential = try #require(all.randomElement(using: &generator))
            let library = generator.next() % 2 == 0 ? owner : other
            let headers = credential.isEmpty ? [:] : ["Authorization": credential]
            let media = library.media(self.url, headers: headers)
            let sent = credential.trimmingCharacters(in: .whitespaces)
            await media.openHeld()
            #expect(
                media.availability.held.isEmpty == !fetched.contains(sent),
                "seed \(seed)"
            )
            if known.contains(sent) {
                let bytes = try await LibraryScene.bytes(media)
                #expect(bytes == GuardedOrigin.bytes(for: sent), "seed \(seed)")
                #expect(try await media.describe().length == Int64(bytes.count))
                fetched.insert(sent)
            } else {
                let code = await self.code { _ = try await media.describe() }
                #expect(code == .unauthorized, "seed \(seed)")
                #expect(
                    await self.code { _ = try await LibraryScene.bytes(media) } == .unauthorized
                )
                #expect(media.availability == Availability(held: RangeSet(), length: nil))
            }
        }
        let accounts = try await owner.resources().map(\.account)
        #expect(accounts.filter { $0 == "(credential)" }.count == fetched.subtracting([""]).count)
        await other.close()
        await owner.close()
        #expect(try self.filesNaming(["Bearer", "YTpi"]).isEmpty)
    }

    /// Regression test: the cache scope of a medium must include the headers of its library.
    ///
    /// The scope once came from the medium's own headers alone. A library with a wrong token then
    /// found the bytes that a library with a right token had fetched.
    @Test("headers of the library are part of the credential")
    func countsLibraryHeaders() async throws {
        let origin = GuardedOrigin(["Bearer a", "Bearer b"])
        for (token, isRight) in [("a", true), ("c", false), ("b", true), ("a", true)] {
            var configuration = MediaLibrary.Configuration(directory: self.folder.path)
            configuration.headers = ["Authorization": "Bearer \(token)", "User-Agent": token]
            let library = try MediaLibrary(configuration, transport: origin)
            let media = library.media(self.url)
            #expect(media.key?.account == "(credential)")
            if isRight {
                let expected = GuardedOrigin.bytes(for: "Bearer \(token)")
                #expect(try await LibraryScene.bytes(media) == expected)
            } else {
                #expect(
                    await self.code { _ = try await LibraryScene.bytes(media) } == .unauthorized
                )
                #expect(media.availability.held.isEmpty)
            }
            await library.close()
        }
        #expect(origin.asked.value.filter { $0 == "Bearer a" }.count == 1)
    }

    /// The files of the cache folder that contain one of the texts.
    private func filesNaming(_ texts: [String]) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: self.folder.path)?.compactMap {
            $0 as? String
        }
        return try #require(names).filter { name in
            let data = FileManager.default.contents(atPath: self.folder.path(of: name)) ?? Data()
            return texts.contains { data.range(of: Data($0.utf8)) != nil }
        }
    }

    @Test("a wrong token gets no byte before the time of revalidation, online or offline")
    func wrongToken() async throws {
        let origin = GuardedOrigin(["Bearer right"])
        for offline in [false, true] {
            let library = try self.library(origin, offline: offline)
            let right = library.media(self.url, headers: ["Authorization": "Bearer right"])
            #expect(try await LibraryScene.bytes(right) == GuardedOrigin.bytes(for: "Bearer right"))
            let wrong = library.media(self.url, headers: ["Authorization": "Bearer wrong"])
            let none = library.media(self.url)
            for media in [wrong, none] {
                let code = await self.code { _ = try await LibraryScene.bytes(media) }
                #expect(code == (offline ? .offline : .unauthorized))
            }
            await library.close()
        }
    }

    @Test("a named account finds with a new token the bytes that an old one fetched")
    func outlivesToken() async throws {
        let origin = GuardedOrigin(["Bearer 1"])
        let library = try self.library(origin)
        let old = library.account("me", headers: ["Authorization": "Bearer 1"]).media(self.url)
        let bytes = try await LibraryScene.bytes(old)
        let new = library.account("me", headers: ["Authorization": "Bearer 2"]).media(self.url)
        #expect(new !== old && new.identifier == old.identifier)
        #expect(try await LibraryScene.bytes(new) == bytes)
        #expect(origin.asked.value == ["Bearer 1"])
        // A request's own header replaces the account's header, whatever the case of its letters.
        let request = MediaRequest(
            url: self.url,
            headers: ["authorization": "Bearer 3"],
            account: "x"
        )
        let third = library.account("me", headers: ["Authorization": "Bearer 1"]).media(request)
        #expect(third.identifier == old.identifier && third !== old)
        await library.close()
    }

    @Test("removing an account removes its bytes, downloads and pins, and no other account's")
    func removal() async throws {
        let origin = GuardedOrigin(["Bearer 1", "Bearer 2"])
        let library = try self.library(origin)
        let me = library.account("me", headers: ["Authorization": "Bearer 1"])
        let you = library.account("you", headers: ["Authorization": "Bearer 2"])
        let (mine, yours) = (me.media(self.url), you.media(self.url))
        _ = try await LibraryScene.bytes(mine)
        _ = try await LibraryScene.bytes(yours)
        try await mine.pin()
        try await library.downloads.add(mine)
        try await library.downloads.add(yours)
        library.listings.keep(.init(entries: [], seconds: 1, account: "me"), as: "a")
        library.listings.keep(.init(entries: [], seconds: 1, account: "you"), as: "b")
        let reading = try await mine.read(.init(.whole)).makeAsyncIterator()
        let removal = try await me.removeAll()
        #expect(removal.resourceCount == 1)
        #expect(removal.byteCount == Int64(GuardedOrigin.bytes(for: "Bearer 1").count))
        #expect(try await library.resources().map(\.account) == ["you"])
        #expect(try await library.downloads.all().map(\.account) == ["you"])
        #expect(library.listings["a"] == nil && library.listings["b"] != nil)
        for operation in [{ _ = try await reading.next() }, { _ = try await mine.describe() }] {
            do {
                try await operation()
                Issue.record("the medium of a removed account can still be read")
            } catch let error as SourceError {
                #expect(error.code == .closed)
                #expect(
                    error.message
                        == "The account “me” was removed from this library; log in and play it again."
                )
            }
        }
        // A log-in with the same name starts a new account.
        let again = me.media(self.url)
        #expect(again !== mine)
        #expect(try await LibraryScene.bytes(again) == GuardedOrigin.bytes(for: "Bearer 1"))
        #expect(try await LibraryScene.bytes(yours) == GuardedOrigin.bytes(for: "Bearer 2"))
        await library.close()
    }

    @Test("removing a logged-in account removes its tokens, and no other account's")
    func removalOfTokens() async throws {
        let store = MemoryTokenStore()
        let (me, you) = (
            AccountID(service: "yandex", name: "me"), AccountID(service: "yandex", name: "you")
        )
        for account in [me, you] {
            store.save(AccountTokens(accessToken: "t-\(account.name)"), of: account)
        }
        let library = try self.library(GuardedOrigin(["OAuth t-me"]))
        let credential = OAuthCredential(
            account: me,
            store: store,
            client: OAuthClient(
                endpoint: try OriginURL("http://guarded.test/token"),
                client: library.serviceClient
            )
        )
        #expect(try await credential.credential().token == "t-me")
        let account = library.account(credential)
        #expect(account.name == "yandex:me")
        try await account.removeAll()
        #expect(store.accounts() == [you])
        #expect(await self.code { _ = try await credential.credential() } == .unauthorized)
        await library.close()
    }

    @Test("a storage of an account keeps its files under that account")
    func storage() throws {
        let library = try self.library(GuardedOrigin([]))
        let service = StorageService.yandexDisk(token: "t")
        let mine = library.account("me").storage(service).media("/a.mp3")
        let unnamed = library.storage(service).media("/a.mp3")
        let other = library.storage(.yandexDisk(token: "u")).media("/a.mp3")
        let open = library.storage(.yandexDisk(token: "t")).media("/a.mp3", account: "me")
        #expect(mine.identifier == open.identifier)
        #expect(Set([mine, unnamed, other].map(\.identifier)).count == 3)
    }
}
