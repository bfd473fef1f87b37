// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirHTTP

@testable import WeirCommand

@Suite("The URLs that an origin serves")
struct OriginURLPathTests {
    @Test("lie at and below its folder, byte for byte")
    func below() throws {
        let origin = try OriginURL("https://u:p@cloud.example:8443/music/")
        let url = try #require(origin.url(at: "/music/A%20b/%c3%a4.mp3?x=1&y"))
        #expect(url.requestTarget == "/music/A%20b/%c3%a4.mp3?x=1&y")
        #expect(url.authority == "cloud.example:8443")
        #expect(url.userInfo?.user == "u")
    }

    @Test(
        "are never beside the folder, and never climb out of it",
        arguments: [
            "/", "/other/a.mp3", "/musical/a.mp3", "/music/../secret", "/music/%2e%2e/secret",
            "/music/.%2E/secret",
            "/music/a%2f..%2fb", "/music/a%5c..%5cb", "/music/./a", "/music/..#x", "/music/..;/x",
            "/music/../\u{301}x", "/music\u{301}/x",
        ]
    )
    func beside(_ target: String) throws {
        let origin = try OriginURL("https://cloud.example/music/")
        #expect(origin.url(at: target[...]) == nil)
    }

    @Test("a backslash is part of a name, and is requested as such")
    func backslash() throws {
        let origin = try OriginURL("https://cloud.example/music/")
        #expect(origin.url(at: "/music/a%5cb.mp3")?.path == "/music/a%5cb.mp3")
        #expect(origin.url(at: "/music/a\\b.mp3")?.path == "/music/a%5Cb.mp3")
    }

    @Test("include the path that the user named, whatever is in it")
    func named() throws {
        let origin = try OriginURL("https://cloud.example/a/..;/b%2fc.mp3")
        #expect(origin.url(at: "/a/..;/b%2fc.mp3")?.path == "/a/..;/b%2fc.mp3")
        #expect(origin.url(at: "/a/..;/b%2fc.mp3/../x") == nil)
    }

    @Test("include the files beside and below a playlist, and no others")
    func playlist() throws {
        let origin = try OriginURL("https://cloud.example/a/List.M3U8?s=1")
        #expect(origin.url(at: "/a/List.M3U8")?.requestTarget == "/a/List.M3U8?s=1")
        #expect(origin.url(at: "/a/one.ts")?.requestTarget == "/a/one.ts")
        #expect(origin.url(at: "/a/b/two.ts?x")?.requestTarget == "/a/b/two.ts?x")
        for target in ["/b.ts", "/", "/a/../b.ts", "/ab/c.ts"] {
            #expect(origin.url(at: target[...]) == nil, "\(target)")
        }
    }

    @Test("a single resource keeps its query though the player does not send it")
    func query() throws {
        let origin = try OriginURL("https://cloud.example/a.mp3?signature=s")
        #expect(origin.url(at: "/a.mp3")?.requestTarget == "/a.mp3?signature=s")
        #expect(origin.url(at: "/b.mp3") == nil)
    }
}
