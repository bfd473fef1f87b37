// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The notice of the terminal player")
struct ShownNoticeTests {
    private let start = ContinuousClock.now

    @Test("is shown for its time, unless another one replaces it")
    func isShownForItsTime() {
        var notice = ShownNotice()
        #expect(notice.text(at: self.start) == nil)
        notice.show("one", of: 0, at: self.start)
        notice.show("two", of: 0, at: self.start + .seconds(1))
        #expect(notice.text(at: self.start + .seconds(1) + ShownNotice.time / 2) == "two")
        #expect(notice.text(at: self.start + .seconds(1) + ShownNotice.time) == nil)
    }

    @Test("ends when the next item starts, but not when the shown item starts")
    func endsWithItsItem() {
        var notice = ShownNotice()
        notice.show("a key did nothing", of: 1, at: self.start)
        notice.itemStarted(1)
        #expect(notice.text(at: self.start) == "a key did nothing")
        notice.itemStarted(2)
        #expect(notice.text(at: self.start) == nil)
    }
}
