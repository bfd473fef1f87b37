// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Media that a browser would run on the proxy's site", .timeLimit(.minutes(1)))
struct ScriptDestinationTests {
    private static let sources: [String: any ByteSource] = ["/a": MemorySource(bytes: [1, 2, 3])]

    @Test(
        "are refused as a script, worker or style",
        arguments: [
            "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet",
            "style", "xslt", "json",
        ]
    )
    func refused(destination: String) async throws {
        try await TestProxy.run(Self.sources, pages: ScriptedPages()) { proxy in
            let client = try await proxy.connect()
            let fields = ["Sec-Fetch-Dest: \(destination)"]
            let media = try await client.get("/a", fields)
            #expect(media.status == 403)
            #expect(media.text.contains("not scripts"))
            // The page may load its own files for any destination.
            #expect(try await client.get("/page/start.js", fields).status == 200)
            #expect(try await client.get("/healthz", fields).status == 200)
            #expect(try await client.get("/a").status == 200)
        }
    }

    @Test(
        "are served to be played, shown and saved",
        arguments: ["audio", "video", "track", "image", "document", "empty", "iframe", "", "x"]
    )
    func given(destination: String) async throws {
        try await TestProxy.run(Self.sources) { proxy in
            let answer = try await proxy.get("/a", ["Sec-Fetch-Dest: \(destination)"])
            #expect(answer.status == 200)
            #expect(answer.body == [1, 2, 3])
        }
    }
}
