// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirProxy

@Suite("Failures at the source, as a player sees them")
struct FailureStatusTests {
    @Test(
        "the status shows the kind of failure, and the body is the message",
        arguments: [
            (.notFound, 404), (.unauthorized, 401), (.forbidden, 403), (.timedOut, 504),
            (.offline, 504), (.unreachable, 502), (.originFailed, 502), (.badAnswer, 502),
            (.insecure, 502), (.truncated, 502), (.notMedia, 502), (.changed, 502),
            (.throttled, 503),
            (.closed, 503), (.cacheFailed, 500), (.invalidRequest, 400), (.failed, 502),
        ] as [(SourceError.Code, Int)]
    )
    func status(code: SourceError.Code, status: Int) {
        let answer = PlainAnswer(SourceError(code, "What happened, and what to do."))
        #expect(answer.status == status)
        #expect(answer.sentence == "What happened, and what to do.")
        #expect((answer.retryAfter != nil) == (code == .throttled))
    }

    @Test("a message for the owner of the source is in the owner's log, and in no answer")
    func owner() {
        let failure = SourceError(.unauthorized, "It was refused.")
            .tellingOwner("The one in TOKEN was refused.")
        #expect(PlainAnswer(failure).sentence == "It was refused.")
        #expect(PlainAnswer.sentence(of: failure) == "It was refused.")
        #expect(PlainAnswer.ownerSentence(of: failure) == "The one in TOKEN was refused.")
        #expect(PlainAnswer.ownerSentence(of: SourceError(.notFound, "Gone.")) == "Gone.")
        #expect(PlainAnswer.ownerSentence(of: CancellationError()) == nil)
    }

    @Test("the status 410 stays 410")
    func gone() {
        #expect(PlainAnswer(SourceError(.notFound, "Gone.", status: 410)).status == 410)
    }

    @Test("a range past the end has the length and no body")
    func range() {
        let answer = PlainAnswer(SourceError.pastTheEnd(.from(5), length: 3))
        #expect(answer.status == 416)
        #expect(answer.sentence == nil)
        #expect(answer.unsatisfiedLength == 3)
    }

    @Test("the text of an error of another type is not revealed")
    func other() {
        struct Odd: Error { let secret = "hunter2" }
        let answer = PlainAnswer(Odd())
        #expect(answer.status == 500)
        #expect(answer.sentence?.contains("hunter2") == false)
        #expect(PlainAnswer(CancellationError()).status == 503)
    }
}
