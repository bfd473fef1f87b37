// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Proves that ThreadSanitizer is awake, and not more than that: without an argument a program without a race, whose
// lock is contended; with one, the same with a race.

import Dispatch
import Synchronization

final class Counters: @unchecked Sendable {
    let locked = Mutex(0)
    var bare = 0
}

let counters = Counters()
let isRacing = CommandLine.arguments.count > 1

DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 0..<20_000 {
        counters.locked.withLock { $0 += 1 }
        if isRacing { counters.bare += 1 }
    }
}
print(counters.locked.withLock { $0 }, counters.bare)
