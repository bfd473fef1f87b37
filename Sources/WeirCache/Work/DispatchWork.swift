// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The cache's queue: a serial dispatch queue.
struct DispatchWork: SerialWork {
    private let queue = DispatchQueue(label: "weir.cache", qos: .utility)

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        self.queue.async(execute: work)
    }

    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds =
            Int(clamping: seconds) &* 1_000_000_000 &+ Int(attoseconds / 1_000_000_000)
        self.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: work)
    }

    func perform<Result>(_ work: () -> Result) -> Result {
        self.queue.sync(execute: work)
    }
}
