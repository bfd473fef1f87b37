// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The times of notices about a wait")
struct WaitNoticesTests {
    @Test("are after 3 s, after 10, and every ten")
    func moments() {
        var notices = WaitNotices()
        var told: [Int64] = []
        for second in Int64(0)...45 {
            let (isDue, next) = notices.waited(.seconds(second))
            if isDue { told.append(second) }
            #expect(next > .zero && next <= .seconds(10))
        }
        #expect(told == [3, 10, 20, 30, 40])
    }

    @Test("come once each, and the next is always ahead, however late the call is")
    func anyTime() {
        for seed in UInt64(0)..<200 {
            var random = SeededGenerator(seed: seed)
            var notices = WaitNotices()
            var (time, due) = (Duration.zero, Duration.seconds(3))
            for _ in 0..<50 {
                time += .milliseconds(Int.random(in: 0...15_000, using: &random))
                let (isDue, next) = notices.waited(time)
                #expect(isDue == (time >= due), "seed \(seed)")
                #expect(next > .zero, "seed \(seed)")
                due = time + next
            }
        }
    }
}
