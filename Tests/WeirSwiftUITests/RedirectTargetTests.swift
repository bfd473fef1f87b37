// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirSwiftUI

@Suite("The address where a log-in in the system's browser ends")
struct RedirectTargetTests {
    @Test(
        "is a scheme of the application, or a page of an associated host",
        arguments: [
            ("weir-player://callback", .scheme("weir-player")),
            ("Weir-Player:/callback", .scheme("weir-player")),
            ("com.example.music:/oauth?x=1", .scheme("com.example.music")),
            ("https://music.example/back", .https(host: "music.example", path: "/back")),
            ("https://music.example", .https(host: "music.example", path: "/")),
            ("HTTPS://music.example/a/b?x=1", .https(host: "music.example", path: "/a/b")),
        ] as [(String, RedirectTarget)]
    )
    func targets(_ redirect: String, _ target: RedirectTarget) throws {
        #expect(try RedirectTarget(redirect) == target)
    }

    @Test(
        "is no other address, since the browser never ends there",
        arguments: [
            "", "callback", "//host/path", "http://127.0.0.1:4748/", "https:///path",
            "https://music.example:8443/back", "weir-player://callback#end", "sch eme://x",
        ]
    )
    func refused(_ redirect: String) {
        let error = #expect(throws: SourceError.self) { _ = try RedirectTarget(redirect) }
        #expect(error?.code == .invalidRequest)
    }
}
