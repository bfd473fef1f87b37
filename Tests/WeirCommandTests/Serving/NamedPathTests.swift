// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The resources that the URL of exec opens")
struct NamedPathTests {
    private static func opens(_ target: String, named: String) -> Bool {
        ServedPath.opens(target[...], named: named)
    }

    @Test("a medium opens in every spelling of its path, and nothing beside it")
    func medium() {
        #expect(Self.opens("/Music/a%20b.mp3", named: "/Music/a%20b.mp3"))
        #expect(Self.opens("/Music/%61%20b.mp3", named: "/Music/a%20b.mp3"))
        for target in [
            "/Music/c.mp3", "/Music/", "/Music", "/", "/Music/a%20b.mp3/", "/Music/a%20b.mp3/x",
            "/music/a%20b.mp3", "/Music/x/../a%20b.mp3", "/Music/../Secret/a.mp3",
            "/Music/%2e%2e/Secret/a.mp3", "/Music/a%20b.mp3?x", "/Music/%ff",
        ] {
            #expect(!Self.opens(target, named: "/Music/a%20b.mp3"), "\(target)")
        }
    }

    @Test("a query is part of the name")
    func query() {
        #expect(Self.opens("/stream?id=1", named: "/stream?id=1"))
        for target in ["/stream", "/stream?id=2", "/stream?id=1&x", "/other?id=1"] {
            #expect(!Self.opens(target, named: "/stream?id=1"), "\(target)")
        }
    }

    @Test("names that look alike are different, and a combining mark hides nothing")
    func alike() {
        #expect(Self.opens("/caf%C3%A9.mp3", named: "/caf\u{E9}.mp3"))
        #expect(!Self.opens("/cafe%CC%81.mp3", named: "/caf%C3%A9.mp3"))
        #expect(!Self.opens("/cafe\u{301}.mp3", named: "/caf\u{E9}.mp3"))
        #expect(!Self.opens("/a.mp3?\u{301}x=1", named: "/a.mp3"))
        #expect(!Self.opens("/a.mp3?\u{301}x=1", named: "/a.mp3?x=1"))
    }

    @Test("a name that is not UTF-8 opens with the given bytes")
    func foreign() {
        #expect(Self.opens("/%ff.mp3", named: "/%ff.mp3"))
        #expect(!Self.opens("/%fe.mp3", named: "/%ff.mp3"))
    }

    @Test("a folder opens with everything in it")
    func folder() {
        #expect(Self.opens("/Music/", named: "/Music/"))
        #expect(Self.opens("/Music/x/a.mp3?b", named: "/Music/"))
        #expect(Self.opens("/x/a.mp3", named: "/"))
        for target in ["/Musical/a.mp3", "/Other/a.mp3", "/", "/Music/../Other/a.mp3"] {
            #expect(!Self.opens(target, named: "/Music/"), "\(target)")
        }
    }

    @Test("a playlist opens with the files beside and below it")
    func playlist() {
        for name in ["index.m3u8", "List.M3U", "a.pls", "a.xspf", "a.mpd"] {
            #expect(Self.opens("/Live/\(name)", named: "/Live/\(name)"))
            #expect(Self.opens("/Live/1.ts", named: "/Live/\(name)"))
            #expect(Self.opens("/Live/720p/1.ts?x", named: "/Live/\(name)"))
            #expect(!Self.opens("/Other/1.ts", named: "/Live/\(name)"))
            #expect(!Self.opens("/1.ts", named: "/Live/\(name)"))
        }
    }
}
