// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirHTTP

@Suite("The name of a resource")
struct ResourceNameTests {
    @Test("is an address without user, query and signature")
    func isDisplay() throws {
        let name = ResourceName(try OriginURL("https://me:pw@cloud.test:444/a/b%20c.MP3?sig=x"))
        #expect(name.display == "https://cloud.test:444/a/b%20c.MP3")
        #expect(name.authority == "cloud.test:444" && name.fileName == "b c.MP3")
        #expect("\(name)" == name.display)
    }

    @Test(
        "gives the text after the last dot",
        arguments: [
            ("a.mp3", "mp3"), ("a.tar.GZ", "gz"), (".hidden", nil), ("a.", nil), ("a", nil),
            (nil, nil),
        ] as [(String?, String?)]
    )
    func tellsExtension(_ fileName: String?, _ expected: String?) {
        let name = ResourceName(display: "x", authority: "x", fileName: fileName)
        #expect(name.fileExtension == expected)
    }
}
