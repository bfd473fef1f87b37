// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The name that was meant")
struct NearestTests {
    @Test(
        "is the nearest within a third of its letters",
        arguments: [
            ("yandx", "yandex"), ("Yandex", "yandex"), ("yadnex", "yandex"), ("clod", "cloud"),
            ("webdva", "webdav"), ("x", nil), ("", nil), ("film", "film"), ("fi", nil),
            ("archives", "archive"), ("completely-else", nil), ("yandex", "yandex"),
        ] as [(String, String?)]
    )
    func nearest(_ typed: String, _ meant: String?) {
        let names = ["yandex", "cloud", "webdav", "film", "archive", "a"]
        #expect(Nearest.name(to: typed, among: names) == meant)
    }

    @Test("of equals the first, and nothing of nothing")
    func equals() {
        #expect(Nearest.name(to: "cat", among: ["bat", "rat"]) == "bat")
        #expect(Nearest.name(to: "cat", among: []) == nil)
        let long = String(repeating: "x", count: 10_000)
        #expect(Nearest.name(to: long, among: ["x", long]) == nil)
    }
}
