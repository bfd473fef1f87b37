// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("The validator of a response")
struct ValidatorTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let secondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func validator(_ headers: [(String, String)], length: Int64? = 9) -> Validator? {
        AnswerHead(status: 200, headers: HTTPHeaderList(received: headers)).validator(
            length: length
        )
    }

    @Test("is a strong entity tag if there is one")
    func isStrongTag() {
        #expect(
            self.validator([("ETag", "\"a\""), ("Last-Modified", Self.date)]) == .entityTag("\"a\"")
        )
        #expect(self.validator([("ETag", "bare")]) == .entityTag("\"bare\""))
    }

    @Test("is a date only if the response is at least a second younger, and the length is known")
    func isStrongDate() {
        let modified = ("Last-Modified", Self.date)
        #expect(
            self.validator([modified, ("Date", Self.secondLater)])
                == .lastModified(Self.date, length: 9)
        )
        #expect(
            self.validator([("ETag", "W/\"a\""), modified, ("Date", Self.secondLater)])
                == .lastModified(Self.date, length: 9)
        )
        #expect(self.validator([modified, ("Date", Self.date)]) == nil)
        #expect(self.validator([modified]) == nil)
        #expect(self.validator([modified, ("Date", "nonsense")]) == nil)
        #expect(self.validator([("Last-Modified", "x"), ("Date", Self.secondLater)]) == nil)
        #expect(self.validator([modified, ("Date", Self.secondLater)], length: nil) == nil)
    }

    @Test("is the date and the length alone under that policy, even with a tag")
    func isModified() {
        func validator(_ headers: [(String, String)]) -> Validator? {
            AnswerHead(status: 200, headers: HTTPHeaderList(received: headers)).validator(
                length: 9,
                by: .modified
            )
        }
        let date = [("Last-Modified", Self.date), ("Date", Self.secondLater)]
        #expect(validator([("ETag", "\"a\"")] + date) == .lastModified(Self.date, length: 9))
        #expect(validator([("ETag", "\"a\"")]) == nil)
    }

    @Test("is absent if the response has no strong validator")
    func isNothing() {
        #expect(self.validator([]) == nil)
        #expect(self.validator([("ETag", "W/\"a\"")]) == nil)
    }

    @Test("gives a condition only if the origin understands it")
    func makesCondition() {
        var capabilities = OriginCapabilities()
        let date = Validator.lastModified(Self.date, length: 9)
        #expect(capabilities.condition(for: .entityTag("\"a\"")) == "\"a\"")
        #expect(capabilities.condition(for: date) == Self.date)
        #expect(capabilities.condition(for: .entityTag("W/\"a\"")) == nil)
        #expect(capabilities.condition(for: .revision("1")) == nil)
        #expect(capabilities.condition(for: nil) == nil)
        capabilities.observed(
            AnswerHead(status: 206, headers: HTTPHeaderList(received: [("ETag", "W/\"a\"")]))
        )
        #expect(capabilities.condition(for: date) == nil)
        capabilities.observed(
            AnswerHead(status: 206, headers: HTTPHeaderList(received: [("ETag", "bare")]))
        )
        #expect(capabilities.condition(for: .entityTag("\"bare\"")) == nil)
        var strong = OriginCapabilities()
        strong.observed(
            AnswerHead(status: 206, headers: HTTPHeaderList(received: [("ETag", "\"a\"")]))
        )
        #expect(strong.condition(for: .entityTag("\"a\"")) == "\"a\"")
        #expect(strong.condition(for: date) == nil)
    }
}
