// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

/// The entry points of WeirHTTP that take lengths, offsets, counts and times from outside.
///
/// They are fields of responses, bodies of another length than announced, the ranges of readers,
/// and the user's rates and ports.
@Suite("Numbers from outside, in responses")
struct OutsideNumbersTests {
    private static let texts = OutsideNumbers.texts + ["", "0", "00", "-0", "+1", "1.5", " 1"]
    private static let ranges: [RequestedRange] =
        OutsideNumbers.natural.flatMap { number -> [RequestedRange] in
            [.from(number), .suffix(number), .span(0..<number), .span(number..<Int64.max)]
        } + [.span((.max - 11)..<(.max - 1))]

    @Test("numbers are read up to 2^63 - 1, lengths up to the largest resource")
    func decimals() {
        for text in Self.texts {
            let number = Int64(decimalDigits: text.utf8)
            #expect(number == nil || number == Int64(text))
            #expect(Int64(lengthDigits: text.utf8) == number.flatMap(ResourceLength.checked))
        }
    }

    @Test("a Content-Range within a possible resource is accepted, and others are refused")
    func contentRanges() {
        for first in Self.texts {
            for last in Self.texts {
                for total in Self.texts + ["*"] {
                    guard let read = ContentRange("bytes \(first)-\(last)/\(total)") else {
                        continue
                    }
                    #expect((read.range?.upperBound ?? 0) <= ResourceLength.maximum)
                    #expect((read.total ?? 0) <= ResourceLength.maximum)
                }
            }
            _ = ContentRange("bytes */\(first)")
        }
        #expect(
            ContentRange("bytes 9223372036854775797-9223372036854775806/9223372036854775807") == nil
        )
    }

    @Test("any range gives a Range field, or no field")
    func rangeFields() {
        for range in Self.ranges { _ = range.headerField }
        for lower in OutsideNumbers.all {
            for upper in OutsideNumbers.all where lower <= upper {
                _ = RequestedRange.span(lower..<upper).headerField
            }
            _ = RequestedRange.from(lower).headerField
            _ = RequestedRange.suffix(lower).headerField
        }
    }

    @Test("times may be any numbers")
    func times() {
        for text in Self.texts {
            _ = Duration(retryAfter: text, date: nil)
            for date in [
                "Sun, \(text) Nov 1994 08:49:37 GMT", "Sun, 06 Nov \(text) 08:49:37 GMT",
                "Sun, 06 Nov 1994 \(text):49:37 GMT", "Sun Nov  6 08:49:37 \(text)",
                "Sunday, 06-Nov-\(text) 08:49:37 GMT",
            ] {
                _ = Int64(httpDate: date)
                _ = Duration(retryAfter: date, date: "Sun, 06 Nov 0000 08:49:37 GMT")
                _ = Duration(retryAfter: "Sun, 06 Nov 9999 08:49:37 GMT", date: date)
            }
        }
    }

    /// Judges a response for every range and version, and reads each accepted response with several
    /// bodies.
    private func judge(_ status: Int, _ headers: [(String, String)]) throws {
        let versions =
            [nil, ReadDemand.Version(validator: nil, length: 100)]
            + [1 << 62, .max].map { ReadDemand.Version(validator: .entityTag("\"v\""), length: $0) }
        let resource = ResourceName(try OriginURL("https://h/a.bin"))
        for range in Self.ranges {
            for version in versions {
                var check = AnswerCheck(
                    resource: resource,
                    range: range,
                    version: version
                )
                check.maximumDiscard = 1 << 20
                let head = AnswerHead(status: status, headers: HTTPHeaderList(received: headers))
                guard case .accepted(let answer) = check.verdict(on: head) else { continue }
                #expect((answer.description.length ?? 0) <= ResourceLength.maximum)
                var reading = ReadingMachine(answer, expectsPage: false)
                _ = reading.received(ByteMemory(Array(repeating: 1, count: 100)))
                _ = reading.rest
                _ = reading.lengthShownByEnd
                _ = reading.ended()
                _ = reading.reachedEnd()
                reading.began(answer)
                _ = reading.received(ByteMemory(Array(repeating: 1, count: 5000)))
                _ = reading.rest
                _ = reading.ended()
            }
        }
    }

    @Test("responses with any lengths are accepted or refused")
    func answers() throws {
        for text in Self.texts {
            try self.judge(200, [("Content-Length", text), ("ETag", "\"v\"")])
            try self.judge(416, [("Content-Range", "bytes */\(text)")])
            try self.judge(503, [("Retry-After", text)])
        }
        for length in OutsideNumbers.natural {
            for lower in [0, length.subtractingClamped(11), length.subtractingClamped(1)] {
                let last = length.subtractingClamped(1)
                try self.judge(206, [("Content-Range", "bytes \(lower)-\(last)/\(length)")])
                try self.judge(206, [("Content-Range", "bytes \(lower)-\(last)/*")])
            }
        }
    }

    @Test("the origin that once ended the process is refused with a sentence")
    func largest() throws {
        let check = AnswerCheck(
            resource: ResourceName(try OriginURL("https://h/a.bin")),
            range: .suffix(10)
        )
        let last = Int64.max - 1
        for (status, field) in [
            (206, ("Content-Range", "bytes \(last - 9)-\(last)/\(Int64.max)")),
            (200, ("Content-Length", "\(Int64.max)")),
        ] {
            let head = AnswerHead(status: status, headers: HTTPHeaderList(received: [field]))
            guard case .refused(let error) = check.verdict(on: head) else {
                Issue.record("\(status) was not refused")
                continue
            }
            #expect(error.code == .badAnswer)
        }
    }

    @Test("a part of a multipart body may have any length")
    func multipart() {
        for length in OutsideNumbers.natural {
            var machine = MultipartMachine(boundary: "b")
            let head = Array("--b\r\nContent-Range: bytes 0-1/\(length)\r\n\r\n12345".utf8)
            _ = machine.received(ByteMemory(head))
            _ = machine.begin(partLength: length)
            _ = machine.received(ByteMemory(Array("--b--".utf8)))
            _ = (machine.isComplete, machine.needsTail, machine.hasMoreParts)
        }
    }

    @Test("a body may be announced with any length")
    func announced() {
        for length in OutsideNumbers.natural {
            var body = BodyParser(.length(length))
            var offset = 0
            let bytes: [UInt8] = [1, 2]
            _ = try? bytes.withUnsafeBytes { try body.next(in: $0, from: &offset) }
            #expect(offset == min(Int(length), 2))
        }
    }

    @Test("a rate may be any number")
    func rates() {
        for rate in OutsideNumbers.all {
            let limiter = RateLimiter(unitsPerSecond: rate)
            for bytes in OutsideNumbers.all { _ = limiter.ask(for: Int(clamping: bytes), line: 0) }
        }
    }

    @Test("a port may be any number")
    func ports() {
        for text in Self.texts { _ = try? OriginURL("http://h:\(text)/a") }
    }
}
