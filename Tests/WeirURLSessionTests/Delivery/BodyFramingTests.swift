// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP

@testable import WeirURLSession

@Suite("The framing of a body")
struct BodyFramingTests {
    @Test(
        "follows from the header",
        arguments: [
            ("GET", 200, ["Content-Length": "5"], BodyFraming.counted(5)),
            ("GET", 200, ["Content-Length": "5, 5"], .counted(5)),
            ("GET", 200, ["Content-Length": "5, 6"], .unclear),
            ("GET", 200, ["Content-Length": "-5"], .untilClose),
            ("GET", 200, ["Content-Length": "99999999999999999999"], .untilClose),
            ("GET", 200, ["Content-Length": "5x"], .unclear),
            ("GET", 200, ["Content-Length": "5", "Transfer-Encoding": "chunked"], .chunked),
            ("GET", 200, ["Transfer-Encoding": "gzip, Chunked"], .chunked),
            ("GET", 200, ["Transfer-Encoding": "gzip"], .untilClose),
            ("GET", 200, ["Transfer-Encoding": "Identity"], .untilClose),
            ("GET", 200, [:], .untilClose),
            ("GET", 200, ["Content-Length": "5", "Content-Encoding": "gzip"], .coded),
            ("GET", 200, ["Content-Length": "5", "Content-Encoding": "identity"], .counted(5)),
            ("GET", 200, ["Content-Length": "5", "Content-Encoding": "aws-chunked"], .counted(5)),
            ("GET", 200, ["Content-Length": "5", "Content-Encoding": "UTF-8"], .counted(5)),
            ("GET", 200, ["Content-Length": "5", "Content-Encoding": "aws-chunked, br"], .coded),
            ("HEAD", 200, ["Content-Length": "5", "Content-Encoding": "gzip"], .counted(0)),
            ("GET", 304, ["Content-Length": "5"], .counted(0)),
            ("GET", 204, [:], .counted(0)),
        ] as [(String, Int, [String: String], BodyFraming)]
    )
    func follows(method: String, status: Int, fields: [String: String], framing: BodyFraming) {
        let headers = HTTPHeaderList(received: fields.map { ($0.key, $0.value) })
        #expect(BodyFraming(method: method, status: status, headers: headers) == framing)
    }

    @Test("proves the end by a length, by the last chunk on Linux, and never by a close")
    func proves() {
        for flow in [FlowControl.braking, .suspending] {
            #expect(BodyFraming.counted(5).isEndProven(flow))
            #expect(!BodyFraming.untilClose.isEndProven(flow))
            #expect(BodyFraming.chunked.isEndProven(flow) == (flow == .braking))
        }
    }

    @Test("splits joined cookies, but not their dates")
    func partsCookies() {
        for (value, fields) in [
            ("a=1", ["a=1"]), ("a=1, b=2; Path=/", ["a=1", " b=2; Path=/"]),
            (
                "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT, b=2; expires=Thu, 01-Jan-2099 00:00:00 GMT",
                [
                    "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT",
                    " b=2; expires=Thu, 01-Jan-2099 00:00:00 GMT",
                ]
            ),
            ("a=1,2; Path=/", ["a=1,2; Path=/"]),
        ] {
            #expect(JoinedCookies.split(value) == fields)
        }
    }
}
