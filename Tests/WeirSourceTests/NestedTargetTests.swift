// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@Suite("A target below a playlist")
struct NestedTargetTests {
    @Test("has the list, the query, and the names of each level")
    func levels() throws {
        let one = try #require(NestedTarget("/origin/a/film.m3u8/~hls/~AB/0.ts?id=7"))
        #expect(one.base == "/origin/a/film.m3u8")
        #expect(one.query == "?id=7")
        #expect(one.names == ["~AB"])
        let two = try #require(NestedTarget("/l.m3u8/~hls/~A/list.m3u8/~hls/~B/0.ts"))
        #expect(two.base == "/l.m3u8")
        #expect(two.query == "")
        #expect(two.names == ["~A", "~B"])
        let folder = try #require(NestedTarget("/live/~hls/~A/0.ts"))
        #expect(folder.base == "/live")
    }

    @Test(
        "leaves a folder of an origin with this name alone",
        arguments: [
            "/a/film.m3u8", "/~hls/film.m3u8", "/a/~hls/v1/0.ts", "/a/~hls/1080p_main/0.ts",
            "/a/%7Ehls/~AB/0.ts", "/a/~hls", "/a/~hls/", "/a?x=/~hls/~AB/0.ts", "/~a/~b/c", "",
        ]
    )
    func ordinary(target: String) {
        #expect(NestedTarget(target[...]) == nil)
    }

    @Test(
        "leads nowhere if it is cut, or goes on in another way",
        arguments: [
            "/l/~hls/~AB", "/l/~hls/~AB/", "/l/~hls/~AB/0.ts/", "/l/~hls/~AB/0.ts/more",
            "/l/~hls/~AB/0.ts/~hls", "/l/~hls/~AB/0.ts/~hls/x", "/l/~hls/ABCDEFGHIJKLMNOPQRSTUVWX",
        ]
    )
    func nowhere(target: String) throws {
        #expect(try #require(NestedTarget(target[...])).names.isEmpty)
    }
}
