// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The suggested name")
struct NearestTests {
    @Test(
        "is the nearest name, if at most a third of the letters differ",
        arguments: [
            ("yandx", "yandex"), ("Yandex", "yandex"), ("yadnex", "yandex"), ("clod", "cloud"),
            ("webdva", "webdav"), ("x", nil), ("", nil), ("film", "film"), ("fi", nil),
            ("archives", "archive"), ("completely-else", nil), ("yandex", "yandex"),
        ] as [(String, String?)]
    )
    func nearest(_ typed: String, _ meant: String?) {
        let names = ["yandex", "cloud", "webdav", "film", "archive", "a"]
        #expect(names.nearest(to: typed) == meant)
    }

    @Test("is the first of equally near names, and absent where there are no names")
    func equals() {
        #expect(["bat", "rat"].nearest(to: "cat") == "bat")
        #expect([String]().nearest(to: "cat") == nil)
        let long = String(repeating: "x", count: 10_000)
        #expect(["x", long].nearest(to: long) == nil)
    }
}
