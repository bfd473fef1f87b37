// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirLoader

@Suite("Which demand gets a request when the number of requests is limited")
struct PlanPlacesTests {
    @Test("at the limit, the longer range with the most received bytes makes room for a new reader")
    func bounded() {
        var plan = PlanScene()
        plan.cached(length: 100_000)
        for number in 1...3 {
            let start = Int64(number) * 20_000
            _ = plan.reader(number, .from(start))
            _ = plan.opened(number, at: start, length: 100_000)
        }
        // No request has brought enough to give way yet, while the new reader waits for its first
        // byte.
        #expect(plan.reader(4, .from(0)).isEmpty)
        #expect(plan.arrived(1, upTo: 20_040).isEmpty)
        #expect(plan.arrived(2, upTo: 40_050) == ["close f2", "open f4 0..<20000"])
        // The reader that lost its request waits for the next free one; it does not take its own
        // back.
        _ = plan.opened(4, at: 0, length: 100_000)
        #expect(plan.arrived(4, upTo: 60).isEmpty)
        #expect(plan.reader(2, at: 40_050).isEmpty)
        #expect(plan.readerLeaves(4) == ["close f4", "open f5 40050..<60000"])
    }

    @Test(
        "short ranges keep their requests; the next go to the newest reader and the oldest in turn"
    )
    func turns() {
        var plan = PlanScene()
        plan.cached(length: 100_000)
        for number in 1...3 {
            let start = Int64(number) * 1000
            let range = start..<start + 10
            #expect(plan.reader(number, .span(range)).count == 1)
            _ = plan.opened(number, at: start, length: 100_000)
        }
        for number in 4...7 {
            let start = Int64(number) * 1000
            #expect(plan.reader(number, .span(start..<start + 10)).isEmpty)
        }
        // The last byte has arrived: the end of the response follows at once, and frees the
        // connection.
        #expect(plan.arrived(1, upTo: 1010).isEmpty)
        #expect(plan.finished(1) == ["open f4 7000..<7010"])
        _ = plan.arrived(2, upTo: 2010)
        #expect(plan.finished(2) == ["open f5 4000..<4010"])
        _ = plan.arrived(3, upTo: 3010)
        #expect(plan.finished(3) == ["open f6 6000..<6010"])
    }

    @Test("a seek replaces the request that its own reader has left, even before a byte of it came")
    func seekTakesPlace() {
        var plan = PlanScene()
        plan.cached(length: 100_000)
        for number in 1...3 { _ = plan.reader(number, .from(Int64(number) * 20_000)) }
        #expect(plan.reader(4, .from(90_000)).isEmpty)
        #expect(plan.readerLeaves(3) == ["close f3", "open f4 90000..."])
    }

    @Test("readers that wait for adjacent bytes get one request")
    func joinsWaiting() {
        var plan = PlanScene()
        #expect(plan.reader(1, .span(500..<510)) == ["open f1 500..<510"])
        for number in [3, 1, 2, 0] {
            let start = Int64(number) * 10
            #expect(plan.reader(number + 2, .span(start..<start + 10)).isEmpty)
        }
        #expect(plan.opened(1, at: 500, length: 100_000) == ["open f2 0..<40"])
    }
}
