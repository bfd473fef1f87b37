// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("Dates")
struct CivilTimeTests {
    @Test(
        "a time is written in the format of headers",
        arguments: [
            (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_720_627_355.9, "Wed, 10 Jul 2024 16:02:35 GMT"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ]
    )
    func header(_ seconds: Double, _ text: String) {
        #expect(CivilTime(seconds).headerText == text)
    }

    @Test("a time is written in the format of the service's documents")
    func document() {
        #expect(CivilTime(1_720_627_355).documentText == "2024-07-10T16:02:35+00:00")
    }
}
