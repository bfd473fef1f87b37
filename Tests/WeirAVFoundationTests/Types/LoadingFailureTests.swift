// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirAVFoundation

@Suite("Failures in public domains")
struct LoadingFailureTests {
    @Test(
        "every code of a source has a public one",
        arguments: [
            (SourceError.Code.invalidRequest, -1000), (.notFound, -1100), (.unauthorized, -1013),
            (.forbidden, -1102), (.rangeNotSatisfiable, -1008), (.changed, -1008),
            (.notMedia, -11828), (.badAnswer, -1011), (.truncated, -1005), (.unreachable, -1004),
            (.timedOut, -1001), (.insecure, -1200), (.throttled, -1008), (.originFailed, -1011),
            (.offline, -1009), (.cacheFailed, 256), (.wrongKey, -1015), (.damaged, -1016),
            (.closed, -999), (.failed, -1),
        ]
    )
    func codes(_ code: SourceError.Code, _ number: Int) {
        let bridged = LoadingFailure.source(SourceError(code, "A sentence.")).bridged
        #expect(bridged.code == number)
        #expect(bridged.message == "A sentence.")
        #expect(bridged.debugDescription.contains(code.description))
        #expect(
            ["NSURLErrorDomain", "NSCocoaErrorDomain", "AVFoundationErrorDomain"].contains(
                bridged.domain
            )
        )
    }

    @Test("the server's own failures have a public code and a sentence, too")
    func own() {
        let early = LoadingFailure.endedEarly(position: 5, end: 9).bridged
        #expect(early.domain == "NSURLErrorDomain" && early.code == -1005)
        #expect(early.message.contains("byte 5 of 9"))
        let type = LoadingFailure.typeNotAllowed(.mpegAudio).bridged
        #expect(type.domain == "AVFoundationErrorDomain" && type.code == -11828)
        #expect(type.message.contains("audio/mpeg"))
        let cancelled = LoadingFailure.cancelled.bridged
        #expect(cancelled.domain == "NSCocoaErrorDomain" && cancelled.code == 3072)
    }
}
