// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir

@testable import WeirCommand

@Suite("Which URLs an origin serves")
struct ServedOriginTests {
    @Test("those at and below its folder, byte for byte")
    func below() throws {
        let origin = try ServedOrigin(name: "origin", url: "https://u:p@cloud.example:8443/music/")
        let url = try #require(origin.url(for: "/music/A%20b/%c3%a4.mp3?x=1&y"))
        #expect(url.requestTarget == "/music/A%20b/%c3%a4.mp3?x=1&y")
        #expect(url.authority == "cloud.example:8443")
        #expect(url.userInfo?.user == "u")
    }

    @Test(
        "none beside it, and none that climbs out of it",
        arguments: [
            "/", "/other/a.mp3", "/musical/a.mp3", "/music/../secret", "/music/%2e%2e/secret",
            "/music/.%2E/secret",
            "/music/a%2f..%2fb", "/music/a%5cb", "/music/./a",
        ]
    )
    func beside(_ target: String) throws {
        let origin = try ServedOrigin(name: "origin", url: "https://cloud.example/music/")
        #expect(origin.url(for: target[...]) == nil)
    }

    @Test("one resource keeps its query though the player does not send it")
    func query() throws {
        let origin = try ServedOrigin(
            name: "origin",
            url: "https://cloud.example/a.mp3?signature=s"
        )
        #expect(origin.url(for: "/a.mp3")?.requestTarget == "/a.mp3?signature=s")
        #expect(origin.url(for: "/b.mp3") == nil)
    }
}
