// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCommand

@Suite("Origins that did not answer")
struct AwayOriginsTests {
    @Test("get no requests for further files, and each has one sentence")
    func sentences() {
        var away = AwayOrigins()
        #expect(!away.isAway("music:/a.mp3"))
        away.failed("music:/a.mp3", SourceError(.unreachable, "x"))
        away.failed("http://web.test:80/x/a.mp3", SourceError(.timedOut, "x"))
        #expect(away.sentences == [])
        #expect(away.isAway("music:/Album/b.mp3") && away.isAway("http://web.test/b.mp3"))
        #expect(!away.isAway("other:/a.mp3") && !away.isAway("http://other.test/x/a.mp3"))
        away.leftOut("music:/Album/b.mp3")
        away.leftOut("music:/c.mp3")
        away.leftOut("http://web.test/b.mp3")
        #expect(
            away.sentences == [
                "music: cannot be reached, so Weir skipped 2 incomplete files; give the same command again later.",
                "web.test does not answer, so Weir skipped 1 incomplete file; give the same command again later.",
            ]
        )
    }

    @Test("do not include origins that answer with an error")
    func answers() {
        var away = AwayOrigins()
        for code in [SourceError.Code.originFailed, .notFound, .truncated, .forbidden] {
            away.failed("music:/a.mp3", SourceError(code, "x"))
        }
        away.failed("music:/a.mp3", CommandError.failed("x"))
        #expect(!away.isAway("music:/a.mp3"))
    }
}
