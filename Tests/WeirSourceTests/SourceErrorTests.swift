// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@Suite("The error of a source")
struct SourceErrorTests {
    @Test("every code is found by its name, and a name from another list is not")
    func names() {
        for code in SourceError.Code.all {
            #expect(SourceError.Code(named: code.description) == code)
        }
        #expect(Set(SourceError.Code.all).count == SourceError.Code.all.count)
        #expect(SourceError.Code(named: "notWritable") == nil)
    }

    @Test("errors with equal facts are equal, whatever caused them")
    func equality() {
        let error = SourceError(
            .throttled,
            "Wait.",
            cause: CancellationError(),
            range: 1..<5,
            host: "h",
            status: 429,
            length: 9
        )
        var same = error
        same.cause = nil
        #expect(same == error && same.hashValue == error.hashValue)
        let changes: [(inout SourceError) -> Void] = [
            { $0.code = .closed }, { $0.message = "Go." }, { $0.range = nil },
            { $0.host = nil }, { $0.status = 503 }, { $0.length = nil },
        ]
        for change in changes {
            var other = error
            change(&other)
            #expect(other != error)
        }
    }
}
