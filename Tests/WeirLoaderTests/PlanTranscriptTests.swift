// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirLoader

@Suite("The decisions of the plan")
struct PlanTranscriptTests {
    @Test("sixteen readers of a cold resource are one request")
    func sixteenReaders() {
        var plan = PlanScene()
        #expect(plan.reader(1, .whole) == ["open f1 0..."])
        for id in 2...16 { #expect(plan.reader(id, .whole).isEmpty) }
        #expect(plan.opened(1, length: 1000).isEmpty)
        #expect(plan.arrived(1, upTo: 60).isEmpty)
        for id in 1...16 { #expect(plan.reader(id, at: 60).isEmpty) }
    }

    @Test("a fetch runs ahead of its farthest reader by the read-ahead and no more")
    func readAhead() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        #expect(plan.arrived(1, upTo: 80).isEmpty)
        #expect(plan.arrived(1, upTo: 120) == ["pause f1"])
        #expect(plan.reader(1, at: 15).isEmpty)
        #expect(plan.reader(1, at: 40) == ["proceed f1"])
    }

    @Test("a seek within reach of a running fetch waits for it")
    func joins() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 10)
        #expect(plan.reader(2, .from(60)).isEmpty)
    }

    @Test("a reader that sees bytes before the plan does causes no second request")
    func overtakenNews() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 10)
        // The writer has written up to 90, a chunk beyond reach; the plan has not received that
        // event yet.
        #expect(plan.reader(1, at: 90).isEmpty)
        #expect(plan.held == [0..<90])
        #expect(plan.arrived(1, upTo: 90).isEmpty)
        #expect(plan.arrived(1, upTo: 150).isEmpty)
        #expect(plan.held == [0..<150])
    }

    @Test("a seek beyond reach opens a fetch, which takes over the rest of the hole")
    func takesOver() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 10)
        #expect(plan.reader(2, .from(100)) == ["open f2 100..."])
        #expect(plan.opened(2, at: 100, length: 1000).isEmpty)
        _ = plan.reader(1, at: 10)
        // The older claim ends where the newer one begins; its connection is closed there.
        #expect(plan.arrived(1, upTo: 100) == ["close f1"])
        #expect(plan.held == [0..<100])
    }

    @Test("a hole is requested up to the next held bytes, and no further")
    func holes() {
        var plan = PlanScene()
        plan.cached(0..<100, 300..<400, length: 1000)
        #expect(plan.reader(1, .whole).isEmpty)
        #expect(plan.reader(1, at: 50) == ["open f1 100..<300"])
        #expect(plan.opened(1, at: 100, length: 1000).isEmpty)
        #expect(plan.arrived(1, upTo: 300) == [])
        #expect(plan.finished(1).isEmpty)
        #expect(plan.reader(1, at: 350) == ["open f2 400..."])
    }

    @Test("damaged held bytes are requested by the reader that waits for them")
    func damage() {
        var plan = PlanScene()
        plan.cached(0..<1000, length: 1000)
        #expect(plan.reader(1, .whole).isEmpty)
        #expect(plan.lost(200..<300) == [])
        #expect(plan.reader(1, at: 180) == ["open f1 200..<300"])
    }

    @Test("a closed range is requested unchanged")
    func closedRange() {
        var plan = PlanScene()
        plan.cached(length: 1000)
        #expect(plan.reader(1, .span(200..<260)) == ["open f1 200..<260"])
        _ = plan.opened(1, at: 200, length: 1000)
        // All bytes have arrived: the plan waits for the end of the response, so that the
        // connection can be reused.
        #expect(plan.arrived(1, upTo: 260).isEmpty)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.readerLeaves(1).isEmpty)
    }

    @Test("a cold closed range requests no further byte either")
    func coldClosedRange() {
        var plan = PlanScene()
        #expect(plan.reader(1, .span(0..<2)) == ["open f1 0..<2"])
        #expect(plan.opened(1, length: 1000).isEmpty)
        #expect(plan.arrived(1, upTo: 2).isEmpty)
        #expect(plan.finished(1).isEmpty)
    }

    @Test("when the last reader has gone the fetch stops, lingers and is closed")
    func lingers() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 50)
        #expect(plan.readerLeaves(1) == ["linger f1"])
        #expect(plan.lingered(1) == ["close f1"])
    }

    @Test("a reader that comes while a fetch lingers continues it")
    func takesUp() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 50)
        _ = plan.readerLeaves(1)
        #expect(plan.reader(2, .from(60)) == ["proceed f1"])
        #expect(plan.lingered(1).isEmpty)
    }

    @Test(
        "with a policy that keeps the whole, a fetch goes on without a reader, and then fills the holes"
    )
    func keepsWhole() {
        var plan = PlanScene(LoadPolicy(prefetch: .whole, readAhead: 100, reach: 50))
        plan.cached(500..<600, length: 1000)
        #expect(plan.reader(1, .from(600)) == ["open f1 600..."])
        _ = plan.opened(1, at: 600, length: 1000)
        #expect(plan.arrived(1, upTo: 900).isEmpty)
        #expect(plan.readerLeaves(1).isEmpty)
        #expect(plan.arrived(1, upTo: 1000).isEmpty)
        #expect(plan.finished(1) == ["open f2 0..<500"])
        _ = plan.opened(2, at: 0, length: 1000)
        _ = plan.arrived(2, upTo: 500)
        #expect(plan.finished(2).isEmpty)
    }

    @Test("with a policy that keeps a first part, filling stops behind it")
    func keepsFirst() {
        var plan = PlanScene(LoadPolicy(prefetch: .first(200), readAhead: 0, reach: 50))
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        #expect(plan.arrived(1, upTo: 10) == ["pause f1"])
        #expect(plan.readerLeaves(1) == ["proceed f1"])
        #expect(plan.arrived(1, upTo: 150).isEmpty)
        #expect(plan.arrived(1, upTo: 200) == ["linger f1"])
    }

    @Test("a failed fetch fails the readers that wait for its bytes, and no others")
    func failure() {
        var plan = PlanScene()
        plan.cached(0..<500, length: 1000)
        _ = plan.reader(1, .whole)
        #expect(plan.reader(2, .from(500)) == ["open f1 500..."])
        _ = plan.opened(1, at: 500, length: 1000)
        #expect(plan.failed(1) == ["fail d2"])
        // The first reader makes a new request when it comes near byte 500.
        #expect(plan.reader(1, at: 450) == ["open f2 500..."])
    }

    @Test("a first request that fails fails every reader that waits for its header")
    func firstFailure() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.reader(2, .from(10))
        #expect(plan.failed(1) == ["fail d1", "fail d2"])
    }

    @Test(
        "a range that does not exist fails only its reader; the next reader makes its own request"
    )
    func rangeFailure() {
        var plan = PlanScene()
        _ = plan.reader(1, .from(5000))
        _ = plan.reader(2, .whole)
        #expect(plan.failed(1, onlyItsDemand: true) == ["fail d1", "open f2 0..."])
    }

    @Test("a suffix learns its start from the answer")
    func suffix() {
        var plan = PlanScene()
        #expect(plan.reader(1, .suffix(10)) == ["open f1 last 10"])
        #expect(plan.opened(1, at: 990, length: 1000).isEmpty)
        #expect(plan.arrived(1, upTo: 1000).isEmpty)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.held == [990..<1000])
    }

    @Test("the end of a body without a length gives the length")
    func unknownLength() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: nil)
        _ = plan.arrived(1, upTo: 70)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.length == 70)
    }

    @Test("an origin that ignores ranges is read forward, however far the reader is ahead")
    func ignoresRanges() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000, ignoresRanges: true)
        _ = plan.arrived(1, upTo: 20)
        #expect(plan.reader(2, .from(900)).isEmpty)
    }

    @Test("without a validator a continuation begins with bytes that are held")
    func overlap() {
        var plan = PlanScene()
        plan.cached(0..<30, length: 1000, overlap: 20)
        #expect(plan.reader(1, .from(30)) == ["open f1 10... comparing 20 before, 0 after"])
        _ = plan.opened(1, at: 10, length: 1000, overlap: 20)
        _ = plan.arrived(1, upTo: 90)
        #expect(plan.held == [0..<90])
        // The new request takes over the rest of the claim; the plan compares bytes where the older
        // request will meet it.
        #expect(
            plan.reader(2, .from(500)) == [
                "open f2 480... comparing 20 before, 0 after", "verify f2 70..<90",
            ]
        )
    }

    @Test("without a validator, a request for a hole between two runs includes bytes of both")
    func overlaps() {
        var plan = PlanScene()
        plan.cached(0..<30, 80..<90, 200..<300, length: 300, overlap: 20)
        #expect(
            plan.reader(1, .span(10..<85)) == ["open f1 10..<90 comparing 20 before, 10 after"]
        )
        _ = plan.opened(1, at: 10, length: 300, overlap: 20)
        #expect(plan.arrived(1, upTo: 80).isEmpty)
        #expect(plan.held == [0..<90, 200..<300])
        _ = plan.finished(1)
        #expect(
            plan.reader(2, .span(95..<300)) == [
                "open f2 95..<220 comparing 0 before, 20 after", "verify f2 70..<90",
            ]
        )
    }

    @Test("an origin that ignores ranges is asked from the first missing byte")
    func ignoresRangesAgain() {
        var plan = PlanScene()
        _ = plan.reader(1, .span(0..<100))
        _ = plan.opened(1, length: 1000, ignoresRanges: true)
        _ = plan.arrived(1, upTo: 100)
        _ = plan.finished(1)
        _ = plan.readerLeaves(1)
        #expect(plan.reader(2, .span(500..<600)) == ["open f2 100..."])
        _ = plan.opened(2, at: 100, length: 1000, ignoresRanges: true)
        #expect(plan.arrived(2, upTo: 600) == ["linger f2"])
        #expect(plan.held == [0..<600])
    }

    @Test("on a slow connection a seek does not wait for the bytes before it")
    func slowLine() {
        var plan = PlanScene(LoadPolicy())
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 650_000)
        plan.measured(latency: 0.005, rate: 120_000)
        _ = plan.arrived(1, upTo: 16_384)
        #expect(plan.reader(2, .from(600_000)) == ["open f2 600000..."])
        #expect(plan.reader(3, .from(20_000)).isEmpty)
    }

    @Test("a fetch without a reader is closed at once when another fetch needs the connection")
    func givesWay() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 10_000)
        _ = plan.arrived(1, upTo: 50)
        #expect(plan.readerLeaves(1) == ["linger f1"])
        #expect(plan.reader(2, .from(8000)) == ["open f2 8000...", "close f1"])
        #expect(plan.lingered(1).isEmpty)
    }

    @Test("a fetch whose reader leaves after a seek does not linger beside the fetch of the seek")
    func givesWayLate() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 10_000)
        _ = plan.arrived(1, upTo: 50)
        #expect(plan.reader(2, .from(8000)) == ["open f2 8000..."])
        #expect(plan.readerLeaves(1) == ["close f1"])
    }

    @Test("a fetch that has its read-ahead leaves the connection to one that lingers")
    func keepsLingering() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 10_000)
        _ = plan.arrived(1, upTo: 50)
        _ = plan.reader(2, .from(8000))
        _ = plan.opened(2, at: 8000, length: 10_000)
        #expect(plan.arrived(2, upTo: 8200) == ["pause f2"])
        #expect(plan.readerLeaves(1) == ["linger f1"])
    }

    @Test("while a reader lacks its next bytes, the rest of the resource is not fetched")
    func keepingWaits() {
        var plan = PlanScene(LoadPolicy(prefetch: .whole, readAhead: 100, reach: 50))
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 10_000)
        #expect(plan.arrived(1, upTo: 500).isEmpty)
        #expect(plan.reader(2, .from(8000)) == ["open f2 8000...", "pause f1"])
        _ = plan.opened(2, at: 8000, length: 10_000)
        #expect(plan.arrived(2, upTo: 8050).isEmpty)
        // The reader has its read-ahead: both requests go on.
        #expect(plan.arrived(2, upTo: 8100) == ["proceed f1"])
    }

    @Test("a paused fetch whose last bytes have been written goes on to its end")
    func heldBackAtTheEnd() {
        var plan = PlanScene()
        plan.cached(length: 1000)
        _ = plan.reader(1, .from(900))
        _ = plan.opened(1, at: 900, length: 1000)
        _ = plan.arrived(1, upTo: 950)
        // The writer has written up to the end; the plan has not received that event yet.
        #expect(plan.reader(2, .from(880)) == ["open f2 880..<900"])
        #expect(plan.readerLeaves(1) == ["pause f1"])
        #expect(plan.arrived(1, upTo: 1000) == ["proceed f1"])
        #expect(plan.finished(1).isEmpty)
        // A fetch that no reader wants also goes on to its end.
        plan.cached(length: 1000)
        _ = plan.readerLeaves(2)
        _ = plan.finished(2)
        _ = plan.reader(3, .from(950))
        _ = plan.opened(3, at: 950, length: 1000)
        #expect(plan.readerLeaves(3) == ["linger f3"])
        #expect(plan.arrived(3, upTo: 1000) == ["proceed f3"])
        #expect(plan.finished(3).isEmpty)
    }

    @Test("a reader without bytes takes the place of a fetch whose readers have plenty")
    func placeOfPaused() {
        var plan = PlanScene()
        plan.cached(length: 100_000)
        for number in 1...3 {
            let start = Int64(number) * 20_000
            _ = plan.reader(number, .from(start))
            _ = plan.opened(number, at: start, length: 100_000)
            #expect(plan.arrived(number, upTo: start + 100) == ["pause f\(number)"])
        }
        #expect(plan.reader(4, .from(0)) == ["close f1", "open f4 0..<20000"])
        _ = plan.opened(4, at: 0, length: 100_000)
        #expect(plan.arrived(4, upTo: 100) == ["pause f4"])
        // The first reader has 60 bytes of its read-ahead left, and then 40, which is less than
        // half.
        #expect(plan.reader(1, at: 20_040).isEmpty)
        #expect(plan.reader(1, at: 20_060) == ["close f2", "open f5 20100..<40000"])
    }

    @Test("a whole body that comes for a range is kept, and no byte of it is requested again")
    func coversWhole() {
        var plan = PlanScene()
        #expect(plan.reader(1, .span(500..<600)) == ["open f1 500..<600"])
        #expect(plan.opened(1, length: 1000, ignoresRanges: true, coversWhole: true).isEmpty)
        #expect(plan.arrived(1, upTo: 600) == ["linger f1"])
        #expect(plan.readerLeaves(1).isEmpty)
        // The reader's next bytes are held.
        #expect(plan.reader(2, .whole) == ["pause f1"])
        #expect(plan.reader(2, at: 600) == ["proceed f1"])
        #expect(plan.arrived(1, upTo: 1000).isEmpty)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.held == [0..<1000])
    }

    @Test("a short rest of a body without ranges is read without a reader")
    func finishesWhole() {
        var plan = PlanScene()
        _ = plan.reader(1, .span(880..<950))
        _ = plan.opened(1, length: 1000, ignoresRanges: true, coversWhole: true)
        _ = plan.arrived(1, upTo: 950)
        #expect(plan.readerLeaves(1).isEmpty)
        #expect(plan.arrived(1, upTo: 1000).isEmpty)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.held == [0..<1000])
    }

    @Test(
        "a second whole body is closed in favour of the first, which was not known to ignore ranges"
    )
    func secondWhole() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        _ = plan.opened(1, length: 1000)
        _ = plan.arrived(1, upTo: 10)
        #expect(plan.reader(2, .from(500)) == ["open f2 500..."])
        #expect(
            plan.opened(2, length: 1000, ignoresRanges: true, coversWhole: true) == ["close f2"]
        )
        #expect(plan.arrived(1, upTo: 500).isEmpty)
        _ = plan.reader(1, at: 10)
        #expect(plan.arrived(1, upTo: 1000).isEmpty)
        #expect(plan.finished(1).isEmpty)
        #expect(plan.held == [0..<1000])
    }

    @Test(
        "without a validator a run that touches no held bytes waits until held bytes are compared"
    )
    func verifies() {
        var plan = PlanScene()
        plan.cached(0..<30, 600..<700, length: 1000, overlap: 20)
        #expect(
            plan.reader(1, .span(100..<150)) == ["open f1 100..<150", "verify f1 10..<30"]
        )
        #expect(
            plan.reader(2, .span(500..<550)) == ["open f2 500..<550", "verify f2 600..<620"]
        )
    }
}
