// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirProxy

@Suite("The answer to a request")
struct ResponsePlanTests {
    private static let tag = #""0000000000000abc""#
    private let description = ResourceDescription(
        length: 100,
        validator: .revision("7"),
        generation: GenerationID(rawValue: 0xABC)
    )

    private func request(_ range: String? = nil) -> RequestHead {
        var request = RequestHead(target: "/")
        request.rangeField = range.map { RangeField($0) }
        return request
    }

    private func expect(
        _ request: RequestHead,
        _ description: ResourceDescription,
        _ status: Int,
        _ body: ResponsePlan.Body,
        _ length: Int64?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let plan = ResponsePlan(for: request, of: description)
        #expect(plan.status == status, sourceLocation: sourceLocation)
        #expect(plan.body == body, sourceLocation: sourceLocation)
        #expect(plan.contentLength == length, sourceLocation: sourceLocation)
    }

    @Test(
        "a range within the resource gets that part",
        arguments: [
            ("bytes=0-", 0..<100), ("bytes=0-99", 0..<100), ("bytes=0-0", 0..<1),
            ("bytes=0-1", 0..<2), ("bytes=99-", 99..<100), ("bytes=99-1000", 99..<100),
            ("bytes=10-19", 10..<20), ("bytes=-1", 99..<100), ("bytes=-100", 0..<100),
            ("bytes=-101", 0..<100), ("bytes=5-99999999999999999999", 5..<100),
        ] as [(String, Range<Int64>)]
    )
    func part(range: String, part: Range<Int64>) {
        self.expect(self.request(range), self.description, 206, .bytes(part), Int64(part.count))
    }

    @Test(
        "a start at or past the end, and a suffix of no bytes, are unsatisfiable",
        arguments: [
            "bytes=100-", "bytes=100-200", "bytes=101-", "bytes=99999999999999999999-", "bytes=-0",
        ]
    )
    func unsatisfiable(range: String) {
        self.expect(self.request(range), self.description, 416, .none, 0)
    }

    @Test(
        "no range, another unit, several ranges and nonsense get the whole",
        arguments: [nil, "items=0-1", "bytes=0-1,3-4", "bytes=5-4", "nonsense"]
    )
    func whole(range: String?) {
        self.expect(self.request(range), self.description, 200, .bytes(0..<100), 100)
    }

    @Test("HEAD has the length of the whole and no body, whatever range it names")
    func head() {
        for range in [nil, "bytes=0-1", "bytes=100-", "bytes=-0"] {
            var request = self.request(range)
            request.method = .head
            self.expect(request, self.description, 200, .none, 100)
        }
    }

    @Test("of an empty resource only the whole can be sent")
    func empty() {
        let empty = ResourceDescription(length: 0)
        self.expect(self.request(), empty, 200, .none, 0)
        self.expect(self.request("bytes=0-"), empty, 416, .none, 0)
        self.expect(self.request("bytes=0-0"), empty, 416, .none, 0)
        self.expect(self.request("bytes=-1"), empty, 200, .none, 0)
        self.expect(self.request("bytes=-0"), empty, 416, .none, 0)
    }

    @Test("while the length is unknown, every request gets the whole")
    func unknownLength() {
        let unknown = ResourceDescription(length: nil)
        for range in [nil, "bytes=0-", "bytes=0-1", "bytes=5-", "bytes=-5", "bytes=-0"] {
            self.expect(self.request(range), unknown, 200, .untilEnd, nil)
        }
        var head = self.request()
        head.method = .head
        self.expect(head, unknown, 200, .none, nil)
    }

    @Test("a negative length counts as unknown")
    func negativeLength() {
        let odd = ResourceDescription(length: -1)
        self.expect(self.request("bytes=0-"), odd, 200, .untilEnd, nil)
    }

    @Test("If-Match requires a generation, and is checked first")
    func ifMatch() {
        var request = self.request("bytes=0-9")
        request.ifMatch = Self.tag
        self.expect(request, self.description, 206, .bytes(0..<10), 10)
        request.ifMatch = #""old""#
        self.expect(request, self.description, 412, .none, 0)
        request.rangeField = RangeField("bytes=100-")
        self.expect(request, self.description, 412, .none, 0)
        request.ifNoneMatch = Self.tag
        self.expect(request, self.description, 412, .none, 0)
        request.ifMatch = "*"
        self.expect(request, self.description, 304, .none, nil)
        request.ifNoneMatch = nil
        self.expect(request, self.description, 416, .none, 0)
    }

    @Test("If-None-Match saves the body of a known generation, for GET and HEAD")
    func ifNoneMatch() {
        for method in [RequestHead.Method.get, .head] {
            var request = self.request("bytes=0-9")
            request.method = method
            for known in [Self.tag, "W/" + Self.tag, "*"] {
                request.ifNoneMatch = known
                self.expect(request, self.description, 304, .none, nil)
            }
        }
        var request = self.request("bytes=0-9")
        request.ifNoneMatch = #""old""#
        self.expect(request, self.description, 206, .bytes(0..<10), 10)
    }

    @Test("If-Range of another generation makes the range irrelevant, even a range past the end")
    func ifRange() {
        for range in ["bytes=10-19", "bytes=100-", "bytes=-0"] {
            for other in [#""old""#, "W/" + Self.tag, "Sat, 21 Nov 2026 03:32:59 GMT"] {
                var request = self.request(range)
                request.ifRange = other
                self.expect(request, self.description, 200, .bytes(0..<100), 100)
            }
        }
        var request = self.request("bytes=10-19")
        request.ifRange = Self.tag
        self.expect(request, self.description, 206, .bytes(10..<20), 10)
        request.rangeField = RangeField("bytes=100-")
        self.expect(request, self.description, 416, .none, 0)
    }

    @Test("a generation without a validator has no tag that matches")
    func withoutValidator() {
        let bare = ResourceDescription(length: 100, generation: GenerationID(rawValue: 0xABC))
        var request = self.request("bytes=0-9")
        request.ifRange = Self.tag
        self.expect(request, bare, 200, .bytes(0..<100), 100)
        request.ifNoneMatch = Self.tag
        self.expect(request, bare, 200, .bytes(0..<100), 100)
        request.ifMatch = Self.tag
        self.expect(request, bare, 412, .none, 0)
    }

    @Test("without a generation no tag matches")
    func withoutGeneration() {
        let plain = ResourceDescription(length: 100)
        var request = self.request("bytes=0-9")
        request.ifRange = Self.tag
        self.expect(request, plain, 200, .bytes(0..<100), 100)
        request.ifMatch = Self.tag
        self.expect(request, plain, 412, .none, 0)
    }

    @Test(
        "recorded requests of players get the answers of the other server",
        arguments: PlayerTrace.all
    )
    func recordings(trace: PlayerTrace) {
        let description = ResourceDescription(
            length: trace.length,
            generation: GenerationID(rawValue: 1)
        )
        for request in trace.requests {
            let plan = ResponsePlan(for: self.request(request.range), of: description)
            #expect(plan.status == request.status)
            #expect(plan.body == (request.sent.map { .bytes($0) } ?? ResponsePlan.Body.none))
        }
    }
}
