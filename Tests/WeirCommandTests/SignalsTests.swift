// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WeirCommand

@Suite("Signals", .timeLimit(.minutes(2)))
struct SignalsTests {
    @Test("each reaches its watchers, and no others")
    func told() async {
        var urgent = Signals.watch([SIGURG]).makeAsyncIterator()
        var window = Signals.watch([SIGWINCH, SIGURG]).makeAsyncIterator()
        for index in 0..<5000 {
            let number = index.isMultiple(of: 3) ? SIGURG : SIGWINCH
            kill(getpid(), number)
            #expect(await window.next() == number)
            if number == SIGURG { #expect(await urgent.next() == number) }
        }
    }
}
