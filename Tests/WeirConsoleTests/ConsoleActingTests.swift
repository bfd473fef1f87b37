// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole

@Suite("The actions that a page requests")
struct ConsoleActingTests {
    private static let one = Cache.identifier(1)
    /// The actions on a resource.
    private static let names = ["play", "pin", "unpin", "verify", "export", "fetch", "remove"]

    @Test("a resource is pinned and unpinned")
    func pin() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let pinned = await scene.act("pin", Self.one)
            #expect(pinned.status == 200)
            #expect(pinned["Content-Type"] == "application/json")
            #expect(
                pinned.object["text"] as? String
                    == "It stays in the cache, whatever the limits are."
            )
            #expect(await scene.resources().map(\.isPinned) == [true])
            let unpinned = await scene.act("unpin", Self.one)
            #expect(unpinned.object["text"] as? String == "The limits apply to it again.")
            #expect(await scene.resources().map(\.isPinned) == [false])
        }
    }

    @Test("a resource is removed")
    func remove() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let answer = await scene.act("remove", Self.one)
            #expect(answer.status == 200)
            #expect(answer.object["text"] as? String == "It is no longer in the cache.")
            #expect(await scene.resources().isEmpty)
        }
    }

    @Test("a verification reports sound and damaged bytes")
    func verify() async throws {
        try await ConsoleScene.run([.kept(1, 300_000)]) { scene in
            let sound = await scene.act("verify", Self.one)
            #expect(sound.status == 200)
            #expect(
                sound.object["text"] as? String
                    == "All 300000 held bytes are as they were written."
            )
            #expect(sound.object["sound"] as? Int == 300_000)
            #expect(sound.object["damaged"] as? Int == 0)
            try scene.rot(at: 299_999)
            let damaged = await scene.act("verify", Self.one)
            #expect(damaged.object["sound"] as? Int == 262_144)
            #expect(damaged.object["damaged"] as? Int == 37_856)
            #expect(
                (damaged.object["text"] as? String)?.hasPrefix("37856 bytes were damaged") == true
            )
        }
    }

    @Test("a served resource can be played at its path, and the error for another says what to do")
    func play() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let missing = await scene.act("play", Self.one)
            #expect(missing.status == 404)
            #expect(missing.text.contains("start weir serve with the folder that it is in"))
            scene.paths.update { $0[Self.one] = "/s3cret/origin/1.mp3" }
            let found = await scene.act("play", Self.one)
            #expect(found.status == 200)
            #expect(found.object["url"] as? String == "/s3cret/origin/1.mp3")
        }
    }

    @Test("an action on a missing resource does nothing, and reports that", arguments: names)
    func gone(name: String) async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            for id in [Cache.identifier(7), String(repeating: "z", count: 32)] {
                let answer = await scene.act(name, id)
                #expect(answer.status == 404)
                #expect(answer.text == "The cache no longer has it.\n")
            }
            #expect(await scene.resources().count == 1)
        }
    }

    @Test("an unknown action is refused with a sentence")
    func unknown() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            for (name, query) in [
                ("removeAll", "resource=\(Self.one)"), ("remove", nil), ("limits", "bytes=x"),
                ("", "resource=\(Self.one)"), ("remove", "resource=../../x"),
            ] as [(String, String?)] {
                let answer = await scene.ask("/actions/\(name)", .post, query: query)
                #expect(answer.status == 404)
                #expect(answer.text == "The action is unknown, or a part of it is missing.\n")
            }
            #expect(await scene.resources().count == 1)
        }
    }

    @Test("limits change one by one, and apply at once")
    func limits() async throws {
        try await ConsoleScene.run([.kept(1, 100), .kept(2, 100)]) { scene in
            scene.library.cacheLimits = .init(byteCount: 1 << 30, age: .seconds(60))
            let answer = await scene.ask("/actions/limits", .post, query: "bytes=150")
            #expect(answer.status == 200)
            #expect(answer.object["text"] as? String == "These limits apply until weir ends.")
            #expect(scene.library.cacheLimits == .init(byteCount: 150, age: .seconds(60)))
            let none = await scene.ask("/actions/limits", .post, query: "bytes=none&age=none")
            #expect(none.status == 200)
            #expect(scene.library.cacheLimits == .init())
        }
    }

    @Test("the longest possible age changes nothing but the limit")
    func longestAge() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            for age in [Int64.max, Int64.max / 1000, Int64.max / 1_000_000_000] {
                let query = "age=\(age)"
                let answer = await scene.ask("/actions/limits", .post, query: query)
                #expect(answer.status == 200)
                #expect(scene.library.cacheSnapshot(of: 1)?.entries.count == 1)
                #expect(await scene.ask("/state").status == 200)
            }
        }
    }

    @Test("an action on a closed library is refused with a sentence")
    func closed() async throws {
        let scene = try ConsoleScene([.kept(1, 100)])
        await scene.library.close()
        for name in ["pin", "verify", "remove", "export"] {
            let answer = await scene.act(name, Self.one)
            #expect(answer.status >= 400 && answer.status <= 599)
            #expect(answer.text.hasSuffix(".\n") || answer.text.hasSuffix("\n"))
        }
    }

    @Test("an action that changes something is listed as an event, and a refused one is not")
    func events() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            _ = await scene.ask("/state")
            for name in ["play", "export", "verify"] { _ = await scene.act(name, Self.one) }
            for name in Self.names { _ = await scene.act(name, Cache.identifier(7)) }
            #expect(scene.events.events(after: 0).isEmpty)
            for name in ["pin", "unpin", "remove"] { _ = await scene.act(name, Self.one) }
            _ = await scene.ask("/actions/limits", .post, query: "bytes=1000")
            let listed = scene.events.events(after: 0)
            #expect(listed.allSatisfy { $0.kind == "action" && !$0.isTrouble })
            #expect(
                listed.map(\.text) == [
                    "Pinned on the page.", "Unpinned on the page.", "Removed on the page.",
                    "The limits of the cache were changed on the page.",
                ]
            )
            let display = "https://example.org/1.mp3"
            #expect(listed.map(\.subject) == [display, display, display, nil])
        }
    }

    @Test("the rest of a resource is fetched only if the resource is served")
    func fetch() async throws {
        try await ConsoleScene.run([.kept(1, 100), .kept(2, 100, of: 300)]) { scene in
            let whole = await scene.act("fetch", Self.one)
            #expect(whole.object["text"] as? String == "The cache already holds all of it.")
            let two = Cache.identifier(2)
            let missing = await scene.act("fetch", two)
            #expect(missing.status == 404)
            #expect(missing.text.contains("start weir serve with the folder that it is in"))
            let refused = await scene.act("export", two)
            #expect(refused.status == 409)
            #expect(refused.text.contains("fetch the rest first"))
            let downloads = try await scene.library.downloads.all()
            #expect(downloads.isEmpty)
        }
    }

    @Test("the rest arrives, and its download leaves the queue", .timeLimit(.minutes(1)))
    func fetched() async throws {
        let origin = ScriptedSource(ScriptedResource(length: 6 << 20, seed: 7))
        let server = try await ProxyServer.start(
            ProxyConfiguration(port: 0, secret: nil),
            router: OneSource(source: origin)
        )
        try await ConsoleScene.run([]) { scene in
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/film.mp4"))
            let media = scene.library.media(MediaRequest(url: url))
            _ = try await media.data(in: 0..<1000)
            let id = try #require(media.identifier)
            scene.media.update { $0[id] = media }
            let answer = await scene.act("fetch", id)
            #expect(answer.status == 200)
            #expect(answer.object["text"] as? String == "The rest is being fetched.")
            for await now in media.availabilityChanges() where now.isComplete { break }
            for await downloads in scene.library.downloads.snapshots() where downloads.isEmpty {
                break
            }
            #expect(await scene.act("export", id).status == 200)
            #expect(
                scene.events.events(after: 0).map(\.text)
                    == ["The rest was requested on the page."]
            )
        }
        await server.shutdown()
    }

    private struct OneSource: ProxyRouter {
        let source: ScriptedSource
        func source(for target: String) -> (any ByteSource)? { self.source }
    }

    // MARK: Downloads

    @Test("a whole resource is downloaded once, under its name")
    func export() async throws {
        try await ConsoleScene.run([.kept(1, 200_000, name: "A Song.mp3")]) { scene in
            let answer = await scene.act("export", Self.one)
            #expect(answer.status == 200)
            #expect(answer.object["text"] as? String == "The download begins.")
            let url = try #require(answer.object["url"] as? String)
            #expect(url.hasPrefix("/page/export/"))
            #expect(url.hasSuffix("/A%20Song.mp3"))
            #expect(!url.contains(ConsoleScene.secret))
            // A browser's download request does not carry the secret.
            let request = PageRequest(method: .get, path: String(url.dropFirst("/page".count)))
            let file = await scene.answer(request)
            #expect(file.status == 200)
            #expect(file["Content-Type"] == "audio/mpeg")
            #expect(file["Content-Disposition"] == "attachment")
            #expect(file.reading?.upperBound == 200_000)
            let isEqual = try await file.read() == PatternBytes.bytes(in: 0..<200_000, seed: 1)
            #expect(isEqual)
            let again = await scene.answer(request)
            #expect(again.status == 404)
            #expect(again.text.contains("has been used or has expired"))
        }
    }

    @Test("an expired or unknown ticket is refused")
    func oldTicket() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let url = await scene.act("export", Self.one).object["url"] as? String ?? ""
            scene.clock.advance(by: .seconds(60))
            let path = String(url.dropFirst("/page".count))
            #expect(await scene.answer(PageRequest(method: .get, path: path)).status == 404)
            for path in ["/export//x", "/export/\(ConsoleScene.secret)/x", "/export/\(Self.one)/x"]
            {
                #expect(await scene.ask(path).status == 404)
            }
        }
    }

    @Test(
        "the name of a download is one part of an address, whatever the origin's name",
        arguments: [
            ("Ünï 日.mp3", "%C3%9Cn%C3%AF%20%E6%97%A5.mp3"), ("a/b.mp3", "a%2Fb.mp3"),
            ("a\"b\r\nX: y", "a%22b%0D%0AX%3A%20y"), ("?#%2F", "%3F%23%252F"),
            ("/", "media"), ("", "media"), (nil, "1.mp3"), (".", "media"), ("..", "media"),
            ("../../.bashrc", "bashrc"), (".hidden", "hidden"),
        ] as [(String?, String)]
    )
    func fileNames(name: String?, expected: String) async throws {
        try await ConsoleScene.run([.kept(1, 100, name: name)]) { scene in
            let url = try #require(await scene.act("export", Self.one).object["url"] as? String)
            #expect(url.split(separator: "/").last.map(String.init) == expected)
            #expect(url.split(separator: "/").count == 4)
            #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            let path = String(url.dropFirst("/page".count))
            #expect(await scene.answer(PageRequest(method: .get, path: path)).status == 200)
        }
    }

    @Test("a resource that is not held whole is not downloaded")
    func incomplete() async throws {
        try await ConsoleScene.run([.kept(1, 100, of: 101)]) { scene in
            let answer = await scene.act("export", Self.one)
            #expect(answer.status == 409)
            #expect(answer.text.contains("fetch the rest first"))
        }
    }

    @Test("a resource that was removed after its ticket was issued is gone")
    func removedMeanwhile() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let url = await scene.act("export", Self.one).object["url"] as? String ?? ""
            _ = await scene.act("remove", Self.one)
            let path = String(url.dropFirst("/page".count))
            let answer = await scene.answer(PageRequest(method: .get, path: path))
            #expect(answer.status == 404)
            #expect(answer.text == "The cache no longer has it.\n")
        }
    }

    @Test("a resource that proved damaged after its ticket was issued is not downloaded")
    func damagedMeanwhile() async throws {
        try await ConsoleScene.run([.kept(1, 300_000)]) { scene in
            let url = await scene.act("export", Self.one).object["url"] as? String ?? ""
            try scene.rot(at: 299_999)
            _ = await scene.act("verify", Self.one)
            let path = String(url.dropFirst("/page".count))
            let answer = await scene.answer(PageRequest(method: .get, path: path))
            #expect(answer.status == 409)
            #expect(answer.text.contains("262144 of 300000 bytes"))
        }
    }

    @Test("too many unfetched downloads are refused for a moment")
    func tooMany() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            for _ in 0..<64 { #expect(await scene.act("export", Self.one).status == 200) }
            let answer = await scene.act("export", Self.one)
            #expect(answer.status == 503)
            #expect(answer.text.contains("try again in a minute"))
            scene.clock.advance(by: .seconds(60))
            #expect(await scene.act("export", Self.one).status == 200)
        }
    }
}
