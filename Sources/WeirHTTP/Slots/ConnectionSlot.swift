// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// One of the connections that a host is allowed; a request and its body hold it while they need
/// it.
///
/// ``release()`` or the end of the last reference gives it back.
final class ConnectionSlot: Sendable {
    private let id: HostSlots.ID
    private let queue: HostQueue
    /// Asks the holder to give its slot back; `nil` while the holder cannot.
    private let asker = Mutex<(@Sendable (_ isInUse: Bool) -> Bool)?>(nil)

    init(_ id: HostSlots.ID, _ queue: HostQueue) {
        self.id = id
        self.queue = queue
    }

    deinit {
        self.queue.release(self.id)
    }

    /// Gives the slot back; allowed any number of times.
    func release() {
        self.queue.release(self.id)
    }

    /// Announces that the holder can continue at its byte over another connection.
    ///
    /// - Parameter asker: asks for the slot, from any thread, also while a consumer waits for bytes
    ///   (`isInUse`). The closure releases the slot and returns `true`, or returns `false`.
    func yields(_ asker: @escaping @Sendable (_ isInUse: Bool) -> Bool) {
        self.asker.withLock { $0 = asker }
        self.queue.yields(self.id, asker: asker)
    }

    /// Records that the consumer has a piece and does not pull yet.
    func rested() { self.queue.rested(self.id) }

    /// Records that the consumer pulls again.
    func resumed() { self.queue.resumed(self.id) }

    /// Records that the consumer no longer needs the bytes.
    ///
    /// - Parameter giveWay: called, at most once, when another request to the host waits or
    ///   arrives, even if a slot is free. It is also called after a long rest.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void) {
        self.queue.abandoned(self.id) { _ in
            giveWay()
            return true
        }
    }

    /// Records that the consumer needs the bytes after all.
    func reclaimed() {
        self.queue.reclaimed(self.id, asker: self.asker.withLock { $0 })
    }
}
