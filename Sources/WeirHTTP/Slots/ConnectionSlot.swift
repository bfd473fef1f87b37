// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// One of the connections that a host is allowed, for as long as a request and its body need it.
///
/// Given back with ``release()``, or when the last reference goes.
final class ConnectionSlot: Sendable {
    private let id: HostSlots.ID
    private let queue: HostQueue
    /// How the holder is asked when its bytes are wanted; `nil` while it cannot give its slot back.
    private let asker = Mutex<(@Sendable (_ isInUse: Bool) -> Bool)?>(nil)

    init(_ id: HostSlots.ID, _ queue: HostQueue) {
        self.id = id
        self.queue = queue
    }

    deinit {
        self.queue.release(self.id)
    }

    /// Gives the slot back; any number of times.
    func release() {
        self.queue.release(self.id)
    }

    /// The holder can go on at its byte over another connection.
    ///
    /// - Parameter asker: asks for the slot, from any thread, also while bytes are awaited (`isInUse`); releases it
    ///   and returns `true`, or returns `false`.
    func yields(_ asker: @escaping @Sendable (_ isInUse: Bool) -> Bool) {
        self.asker.withLock { $0 = asker }
        self.queue.yields(self.id, asker: asker)
    }

    /// The consumer has a piece and asks for no more yet.
    func rested() { self.queue.rested(self.id) }

    /// The consumer asks for more.
    func resumed() { self.queue.resumed(self.id) }

    /// The bytes are not wanted any more.
    ///
    /// - Parameter giveWay: called, at most once, when another request to the host comes.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void) {
        self.queue.abandoned(self.id) { _ in
            giveWay()
            return true
        }
    }

    /// The bytes are wanted after all.
    func reclaimed() {
        self.queue.reclaimed(self.id, asker: self.asker.withLock { $0 })
    }
}
