// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("The check of a response")
struct AnswerCheckTests {
    static let tag = ("ETag", "\"v1\"")
    static let version = ReadDemand.Version(validator: .entityTag("\"v1\""), length: 100)

    func verdict(
        _ range: RequestedRange,
        _ status: Int,
        _ headers: [(String, String)],
        version: ReadDemand.Version? = nil,
        isRanged: Bool = true,
        isConditional: Bool = false,
        url: String = "https://h/song.mp3"
    ) throws -> AnswerVerdict {
        var check = AnswerCheck(
            resource: ResourceName(try OriginURL(url)),
            range: range,
            version: version
        )
        check.isRanged = isRanged
        check.isConditional = isConditional
        return check.verdict(
            on: AnswerHead(status: status, headers: HTTPHeaderList(received: headers))
        )
    }

    func accepted(_ verdict: AnswerVerdict) throws -> AcceptedAnswer {
        guard case .accepted(let answer) = verdict else {
            Issue.record("not accepted: \(verdict)")
            throw CancellationError()
        }
        return answer
    }

    func code(_ verdict: AnswerVerdict) -> SourceError.Code? {
        guard case .refused(let error) = verdict else { return nil }
        #expect(error.host == "h")
        #expect(error.message.hasSuffix(".") && !error.message.contains("\n"))
        return error.code
    }

    // MARK: 206

    @Test(
        "accepts a 206 that starts at the requested byte",
        arguments: [
            (.from(10), "bytes 10-99/100", 10, 100, 100),
            (.span(10..<20), "bytes 10-19/100", 10, 20, 20),
            (.span(10..<20), "bytes 10-14/100", 10, 15, 20),
            (.span(90..<200), "bytes 90-99/100", 90, 100, 100),
            (.suffix(10), "bytes 90-99/100", 90, 100, 100),
            (.suffix(500), "bytes 0-99/100", 0, 100, 100),
            (.span(10..<20), "bytes 10-39/100", 10, 40, 20),
            (.from(0), "bytes 0-99/100", 0, 100, 100),
        ] as [(RequestedRange, String, Int64, Int64, Int64)]
    )
    func takesPartial(
        _ range: RequestedRange,
        _ field: String,
        _ lower: Int64,
        _ bodyUpper: Int64,
        _ upper: Int64
    ) throws {
        let answer = try self.accepted(
            self.verdict(range, 206, [("Content-Range", field), Self.tag], version: Self.version)
        )
        #expect(answer.lowerBound == lower && answer.bodyLowerBound == lower)
        #expect(answer.bodyUpperBound == bodyUpper)
        #expect(answer.upperBound == upper)
        #expect(answer.description.length == 100)
        #expect(answer.description.acceptsRanges == true)
        #expect(answer.description.validator == .entityTag("\"v1\""))
        #expect(answer.description.name == "song.mp3")
    }

    @Test("accepts a 206 of unknown total, whose end is then unknown")
    func takesUnknownTotal() throws {
        let answer = try self.accepted(
            self.verdict(.from(10), 206, [("Content-Range", "bytes 10-19/*")])
        )
        #expect(answer.bodyUpperBound == 20 && answer.upperBound == nil)
        #expect(answer.description.length == nil)
        let pinned = try self.accepted(
            self.verdict(
                .from(10),
                206,
                [("Content-Range", "bytes 10-19/*"), Self.tag],
                version: Self.version
            )
        )
        #expect(pinned.upperBound == 100 && pinned.description.length == 100)
    }

    @Test(
        "refuses a 206 for another range",
        arguments: [
            (.from(10), [("Content-Range", "bytes 0-9/100")]),
            (.from(10), [("Content-Range", "bytes 11-99/100")]),
            (.from(10), [("Content-Range", "nonsense")]),
            (.from(10), [("Content-Range", "bytes */100")]),
            (.suffix(10), [("Content-Range", "bytes 90-99/*")]),
            (.suffix(10), [("Content-Range", "bytes 91-99/100")]),
            (.from(0), [("Content-Range", "bytes 0-100/100"), ("Content-Length", "101")]),
            (.from(0), [("Content-Range", "bytes 0-100/100")]),
            (.from(0), [("Content-Range", "bytes 0-99/100"), ("Content-Range", "bytes 0-9/100")]),
            (.from(0), [("Content-Range", "bytes 0-99/100"), ("Content-Length", "99")]),
            (.from(0), [("Content-Range", "bytes 0-99/100"), ("Content-Length", "x")]),
            (
                .from(0),
                [
                    ("Content-Range", "bytes 0-99/100"), ("Content-Length", "100"),
                    ("Content-Length", "9"),
                ]
            ),
            (.from(0), [("Content-Range", "bytes 0-99/100"), ("Content-Encoding", "br")]),
            (
                .from(0),
                [("Content-Range", "bytes 0-99/100"), ("Transfer-Encoding", "gzip, chunked")]
            ),
        ] as [(RequestedRange, [(String, String)])]
    )
    func refusesWrongPartial(_ range: RequestedRange, _ headers: [(String, String)]) throws {
        #expect(self.code(try self.verdict(range, 206, headers)) == .badAnswer)
    }

    @Test("refuses a 206 to a request without a range")
    func refusesUnaskedPartial() throws {
        let verdict = try self.verdict(
            .whole,
            206,
            [("Content-Range", "bytes 0-99/100")],
            isRanged: false
        )
        #expect(self.code(verdict) == .badAnswer)
    }

    @Test("ignores a Content-Length beside chunks, and codings without an effect")
    func ignoresHarmlessFields() throws {
        _ = try self.accepted(
            self.verdict(
                .from(0),
                206,
                [
                    ("Content-Range", "bytes 0-99/100"), ("Content-Length", "7"),
                    ("Transfer-Encoding", "chunked"), ("Content-Encoding", "identity"),
                ]
            )
        )
    }

    // MARK: Pins

    @Test(
        "finds a change in the response's own validator and total",
        arguments: [
            (206, [("Content-Range", "bytes 10-100/101"), tag]),
            (206, [("Content-Range", "bytes 10-99/100"), ("ETag", "\"v2\"")]),
            (206, [("Content-Range", "bytes 10-99/100")]),
            (206, [("Content-Range", "bytes 10-99/100"), ("ETag", "W/\"v1\"")]),
            (206, [("Content-Range", "bytes 10-199/*"), tag]),
            (200, [("Content-Length", "100"), ("ETag", "\"v2\"")]),
            (200, [("Content-Length", "101"), tag]),
            (200, [("Content-Length", "100")]), (416, [("Content-Range", "bytes */5")]),
        ] as [(Int, [(String, String)])]
    )
    func findsChange(_ status: Int, _ headers: [(String, String)]) throws {
        #expect(
            self.code(try self.verdict(.from(10), status, headers, version: Self.version))
                == .changed
        )
    }

    @Test("finds a change of the date, and of the length with an equal date")
    func findsChangedDate() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let version = ReadDemand.Version(validator: .lastModified(date, length: 100), length: 100)
        let range = ("Content-Range", "bytes 10-99/100")
        _ = try self.accepted(
            self.verdict(.from(10), 206, [range, ("Last-Modified", date)], version: version)
        )
        for headers in [
            [range, ("Last-Modified", "Sun, 06 Nov 1994 08:49:38 GMT")], [range],
            [("Content-Range", "bytes 10-100/101"), ("Last-Modified", date)],
        ] {
            #expect(
                self.code(try self.verdict(.from(10), 206, headers, version: version)) == .changed
            )
        }
    }

    @Test("does not accept a service's revision as proof")
    func doesNotKnowRevisions() throws {
        let version = ReadDemand.Version(validator: .revision("7"), length: nil)
        let verdict = try self.verdict(
            .from(0),
            206,
            [("Content-Range", "bytes 0-99/100"), Self.tag],
            version: version
        )
        #expect(self.code(verdict) == .changed)
    }

    // MARK: The rest

    @Test(
        "turns statuses into error codes",
        arguments: [
            (401, .unauthorized), (403, .forbidden), (404, .notFound), (410, .notFound),
            (405, .forbidden),
            (451, .forbidden), (505, .originFailed), (508, .originFailed), (204, .badAnswer),
            (203, .badAnswer),
            (300, .badAnswer), (304, .badAnswer), (302, .badAnswer), (101, .badAnswer),
            (999, .badAnswer),
        ] as [(Int, SourceError.Code)]
    )
    func turnsStatuses(_ status: Int, _ code: SourceError.Code) throws {
        let verdict = try self.verdict(.from(3), status, [])
        #expect(self.code(verdict) == code)
        guard case .refused(let error) = verdict else { return }
        #expect(error.status == status)
        #expect(error.range == 3..<Int64.max)
    }

    @Test(
        "treats some statuses as temporary, with the delay of Retry-After",
        arguments: [408, 425, 429, 500, 502, 503, 504]
    )
    func hopesOn(_ status: Int) throws {
        guard
            case .transient(let shown, let delay) = try self.verdict(
                .whole,
                status,
                [("Retry-After", "7")]
            )
        else {
            Issue.record("not transient")
            return
        }
        #expect(shown == status)
        #expect(delay == .seconds(7))
    }

    @Test(
        "marks a response that is typed as a page, unless the address names a page",
        arguments: [
            ("https://h/song.mp3", "text/html; charset=utf-8", true),
            ("https://h/stream", "TEXT/HTML", true),
            ("https://h/a.html", "text/html", false), ("https://h/a.HTM", "text/html", false),
            ("https://h/song.mp3", "application/xhtml+xml", true),
            ("https://h/song.mp3", "text/plain", false),
        ]
    )
    func typedAsPage(_ url: String, _ type: String, _ isPage: Bool) throws {
        for (status, extra) in [
            (200, ("Content-Length", "100")), (206, ("Content-Range", "bytes 0-99/100")),
        ] {
            let verdict = try self.verdict(
                .whole,
                status,
                [("Content-Type", type), extra],
                url: url
            )
            let answer = try self.accepted(verdict)
            #expect(answer.isTypedAsPage == isPage)
            #expect((answer.description.mediaType == nil) == isPage)
        }
    }

    @Test("repeats the request without a condition if the origin sends its tag without quotes")
    func asksWithoutCondition() throws {
        let headers = [("Content-Length", "100"), ("ETag", "v1")]
        guard
            case .askWithoutCondition = try self.verdict(
                .from(5),
                200,
                headers,
                version: Self.version,
                isConditional: true
            )
        else {
            Issue.record("does not ask")
            return
        }
        _ = try self.accepted(self.verdict(.from(5), 200, headers, version: Self.version))
    }

    @Test("accepts the part of a multipart response with the part's own range and type")
    func takesPart() throws {
        let check = AnswerCheck(
            resource: ResourceName(try OriginURL("https://h/a.mp3")),
            range: .span(10..<20),
            version: Self.version
        )
        let head = AnswerHead(
            status: 206,
            headers: HTTPHeaderList(received: [
                ("Content-Type", "multipart/byteranges; boundary=\"a b\""), Self.tag,
                ("Content-Length", "300"),
            ])
        )
        guard case .multipart(boundary: "a b") = check.verdict(on: head) else {
            Issue.record("not multipart")
            return
        }
        let part = HTTPHeaderList(received: [
            ("Content-Range", "bytes 10-19/100"), ("Content-Type", "audio/mpeg"),
        ])
        let answer = try self.accepted(check.verdict(onPart: part, of: head))
        #expect(answer.description.mediaType?.essence == "audio/mpeg")
        #expect(answer.bodyLowerBound == 10 && answer.bodyUpperBound == 20)
        for wrong in ["bytes 11-19/100", "bytes 10-19/101", "x"] {
            let verdict = check.verdict(
                onPart: HTTPHeaderList(received: [("Content-Range", wrong)]),
                of: head
            )
            #expect(self.code(verdict) != nil)
        }
        #expect(self.code(check.verdict(onPart: HTTPHeaderList(), of: head)) == .badAnswer)
    }
}
