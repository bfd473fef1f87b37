// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

extension AnswerCheckTests {
    // MARK: 200

    @Test(
        "accepts a 200 for a range, and learns from it whether the origin answers ranges",
        arguments: [
            (.from(0), [], 0, 100, nil), (.from(0), [("Accept-Ranges", "bytes")], 0, 100, true),
            (.from(0), [("Accept-Ranges", "none")], 0, 100, false),
            (.from(40), [("Accept-Ranges", "bytes")], 40, 100, false),
            (.span(40..<50), [], 40, 50, false),
            (.span(0..<2), [], 0, 2, false), (.span(0..<500), [], 0, 100, nil),
            (.suffix(10), [], 90, 100, false),
            (.suffix(100), [], 0, 100, nil),
        ] as [(RequestedRange, [(String, String)], Int64, Int64, Bool?)]
    )
    func takesWhole(
        _ range: RequestedRange,
        _ headers: [(String, String)],
        _ lower: Int64,
        _ upper: Int64,
        _ acceptsRanges: Bool?
    ) throws {
        let answer = try self.accepted(
            self.verdict(
                range,
                200,
                headers + [("Content-Length", "100"), Self.tag],
                version: Self.version
            )
        )
        #expect(answer.bodyLowerBound == 0 && answer.bodyUpperBound == 100)
        #expect(answer.lowerBound == lower && answer.upperBound == upper)
        #expect(answer.description.acceptsRanges == acceptsRanges)
    }

    @Test("accepts a 200 of unknown length")
    func takesUnknownLength() throws {
        let chunked = [("Transfer-Encoding", "chunked")]
        let whole = try self.accepted(self.verdict(.from(0), 200, chunked))
        #expect(whole.bodyUpperBound == nil && whole.upperBound == nil)
        #expect(whole.description.length == nil)
        let span = try self.accepted(self.verdict(.span(5..<9), 200, chunked))
        #expect(span.lowerBound == 5 && span.upperBound == 9)
        #expect(self.code(try self.verdict(.suffix(5), 200, chunked)) == .badAnswer)
        let pinned = try self.accepted(
            self.verdict(.from(5), 200, chunked + [Self.tag], version: Self.version)
        )
        #expect(pinned.bodyUpperBound == 100 && pinned.upperBound == 100)
    }

    @Test("refuses to join bytes without a proof of one version")
    func refusesUnjoinable() throws {
        let version = ReadDemand.Version(validator: nil, length: nil)
        #expect(self.code(try self.verdict(.from(5), 200, [], version: version)) == .changed)
        _ = try self.accepted(self.verdict(.from(0), 200, [], version: version))
    }

    @Test("does not skip more bytes than allowed to reach a range that the origin ignored")
    func boundsDiscard() throws {
        var check = AnswerCheck(
            resource: ResourceName(try OriginURL("https://h/a")),
            range: .from(11),
            version: nil
        )
        check.maximumDiscard = 10
        let head = AnswerHead(
            status: 200,
            headers: HTTPHeaderList(received: [("Content-Length", "100")])
        )
        #expect(self.code(check.verdict(on: head)) == .badAnswer)
    }

    @Test("learns the end from the length of a 200, and refuses ranges past it")
    func knowsEndOfWhole() throws {
        let headers = [("Content-Length", "100")]
        guard case .empty(_, at: 100) = try self.verdict(.from(100), 200, headers) else {
            Issue.record("not empty")
            return
        }
        guard
            case .empty(let description, at: 0) = try self.verdict(
                .whole,
                200,
                [("Content-Length", "0")]
            )
        else {
            Issue.record("not empty")
            return
        }
        #expect(description.length == 0)
        #expect(self.code(try self.verdict(.from(101), 200, headers)) == .rangeNotSatisfiable)
    }

    // MARK: 416

    @Test("reads the end from a 416")
    func readsEnd() throws {
        guard
            case .empty(let description, at: 100) = try self.verdict(
                .from(100),
                416,
                [("Content-Range", "bytes */100"), ("Content-Type", "text/html")]
            )
        else {
            Issue.record("not empty")
            return
        }
        #expect(description.length == 100 && description.mediaType == nil)
        for range in [RequestedRange.whole, .suffix(5), .span(0..<2)] {
            guard
                case .empty(_, at: 0) = try self.verdict(
                    range,
                    416,
                    [("Content-Range", "bytes */0")]
                )
            else {
                Issue.record("not empty")
                return
            }
        }
        guard
            case .refused(let error) = try self.verdict(
                .from(101),
                416,
                [("Content-Range", "bytes */100")]
            )
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .rangeNotSatisfiable && error.length == 100 && error.status == 416)
    }

    @Test("after a 416 without a useful total requests the whole, once")
    func asksWithoutRange() throws {
        let within = ("Content-Range", "bytes */100")
        for (range, headers) in [
            (.whole, []), (.span(0..<2), []), (.from(5), []), (.suffix(5), []),
            (.from(5), [within]), (.suffix(.max), [within]),
        ] as [(RequestedRange, [(String, String)])] {
            guard case .askWithoutRange = try self.verdict(range, 416, headers) else {
                Issue.record("does not ask for \(range)")
                return
            }
        }
        // A part without a `Content-Range` gives no position either.
        guard case .askWithoutRange = try self.verdict(.from(5), 206, []) else {
            Issue.record("a part without a place is not asked for otherwise")
            return
        }
        guard case .askWithoutRange = try self.verdict(.from(5), 416, [], version: Self.version)
        else {
            Issue.record("does not ask although the version has such bytes")
            return
        }
        #expect(
            self.code(try self.verdict(.whole, 416, [], isRanged: false)) == .rangeNotSatisfiable
        )
    }

    @Test("takes a 416 without a total as the end of a resource of unknown length")
    func takesUnknownEnd() throws {
        let version = ReadDemand.Version(validator: .entityTag("\"v1\""), length: nil)
        guard case .refused(let error) = try self.verdict(.from(5), 416, [], version: version)
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .rangeNotSatisfiable && error.length == nil)
    }

    // MARK: A 200 that names a part

    @Test(
        "accepts a 200 with the Content-Range of a part as that part",
        arguments: [
            (.from(10), "bytes 10-29/100", "20"), (.span(10..<30), "bytes 0-49/100", "50"),
            (.from(10), "bytes 10-29/*", "20"),
        ] as [(RequestedRange, String, String)]
    )
    func takesNamedPart(_ range: RequestedRange, _ field: String, _ length: String) throws {
        let headers = [("Content-Range", field), ("Content-Length", length), Self.tag]
        let answer = try self.accepted(
            self.verdict(range, 200, headers, version: Self.version)
        )
        #expect(answer.lowerBound == 10 && answer.description.length == 100)
        #expect(answer.bodyLowerBound <= 10 && answer.bodyUpperBound ?? .max < 100)
        #expect(answer.description.acceptsRanges == true && !answer.coversWhole)
    }

    @Test("accepts a 200 with the Content-Range of the whole as the whole")
    func takesNamedWhole() throws {
        for field in ["bytes 0-99/100", "bytes 0-100/100", "bytes */100", "items 0-9/10"] {
            let answer = try self.accepted(
                self.verdict(
                    .whole,
                    200,
                    [("Content-Range", field), ("Content-Length", "100"), Self.tag],
                    isRanged: false
                )
            )
            #expect(answer.bodyUpperBound == 100 && answer.description.length == 100)
        }
    }

    @Test(
        "refuses a 200 with a contradicting Content-Range, and names the field",
        arguments: [
            ("bytes 0-49/100", false), ("bytes 0-49/100", true), ("bytes */99", true),
            ("bytes 20-99/100", true), ("bytes 0-99/90", true), ("bytes x", true),
            ("bytes 9-0/100", true),
        ]
    )
    func refusesNamedPart(_ field: String, _ isRanged: Bool) throws {
        let length = isRanged ? "100" : "50"
        let verdict = try self.verdict(
            .span(0..<50),
            200,
            [("Content-Range", field), ("Content-Length", length)],
            isRanged: isRanged
        )
        #expect(self.code(verdict) == .badAnswer)
        guard isRanged, case .refused(let error) = verdict else { return }
        #expect(error.message.contains("Content-Range: \(field)"))
    }
}
