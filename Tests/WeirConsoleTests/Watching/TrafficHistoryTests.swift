// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirConsole

@Suite("Bytes in each second")
struct TrafficHistoryTests {
    @Test("a second is reported when it has ended, with its bytes")
    func seconds() {
        var history = TrafficHistory()
        #expect(history.note([100, 5], at: .milliseconds(300)) == [])
        #expect(history.note([150, 5], at: .milliseconds(999)) == [])
        #expect(history.note([160, 9], at: .milliseconds(1000)) == [[60, 4]])
        #expect(history.note([160, 9], at: .milliseconds(1999)) == [])
        #expect(history.note([160, 9], at: .milliseconds(2000)) == [[0, 0]])
        #expect(history.seconds == [[60, 4], [0, 0]])
    }

    @Test("the bytes of an unwatched time are divided evenly over its seconds")
    func pauses() {
        var history = TrafficHistory()
        _ = history.note([0, 0], at: .zero)
        #expect(history.note([400, 40], at: .seconds(4)) == Array(repeating: [100, 10], count: 4))
        #expect(history.seconds.count == 4)
    }

    @Test("a total below the last one counts as no bytes, and later bytes count once")
    func smaller() {
        var history = TrafficHistory()
        _ = history.note([100, 100], at: .zero)
        #expect(history.note([40, 130], at: .seconds(1)) == [[0, 30]])
        #expect(history.note([100, 130], at: .seconds(2)) == [[0, 0]])
        #expect(history.note([105, 130], at: .seconds(3)) == [[5, 0]])
    }

    @Test("the newest 300 seconds are kept")
    func capacity() {
        var history = TrafficHistory()
        _ = history.note([0], at: .zero)
        for second in 1...400 {
            let total = Int64(second * (second + 1) / 2)
            #expect(history.note([total], at: .seconds(second)) == [[Int64(second)]])
        }
        #expect(history.seconds == (101...400).map { [Int64($0)] })
    }

    @Test(
        "an unwatched time of more than ten seconds clears the history"
    )
    func gaps() {
        var history = TrafficHistory()
        _ = history.note([0], at: .zero)
        #expect(history.note([100], at: .seconds(10)) == Array(repeating: [10], count: 10))
        #expect(history.note([1000], at: .seconds(21)) == [])
        #expect(history.seconds.isEmpty)
        #expect(history.note([1007], at: .seconds(22)) == [[7]])
    }

    @Test("a clock that goes back ends no second")
    func backwards() {
        var history = TrafficHistory()
        _ = history.note([0], at: .seconds(10))
        #expect(history.note([10], at: .seconds(9)) == [])
        #expect(history.note([20], at: .seconds(11)) == [[20]])
    }

    @Test("the largest totals cause no overflow")
    func extremes() {
        var history = TrafficHistory()
        _ = history.note([0, .max], at: .zero)
        #expect(history.note([.max, .max], at: .seconds(1)) == [[.max, 0]])
    }
}
