// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sendable: the queue and the settings are behind `lock`; items are called outside the lock.

/// The queue of a player, with one item or many, and the player's rate.
final class StubTransport: @unchecked Sendable {
    private let lock = NSLock()
    private let advances: Bool
    private var queue: [AVPlayerItem] = []
    private var heldRate: Float = 0
    private var waits = true
    private var pausesAtEnd = false
    private var observations: [() -> NSKeyValueObservation?] = []

    /// A queue.
    ///
    /// - Parameters:
    ///   - items: The first items.
    ///   - advances: Whether the next item begins at the end of an item.
    init(_ items: [AVPlayerItem], advances: Bool) {
        self.advances = advances
        queue = items
    }

    var items: [AVPlayerItem] { lock.withLock { queue } }
    var waitsToMinimizeStalling: Bool {
        get { lock.withLock { waits } }
        set { lock.withLock { waits = newValue } }
    }

    var rate: Float {
        get { lock.withLock { heldRate } }
        set {
            let item = lock.withLock {
                heldRate = newValue
                return queue.first
            }
            item?.playback.setPlaying(newValue != 0)
        }
    }

    /// Notifies every observer of a change of the first item.
    func tellObservers() {
        let observations = lock.withLock { self.observations }
        for observation in observations { observation()?.told() }
    }

    func add(_ observation: NSKeyValueObservation) {
        lock.withLock { observations.append { [weak observation] in observation } }
    }

    /// Begins with the first item.
    func begin() {
        change { _ in }
    }

    /// Changes the queue; if the first item changes, detaches the old first item and begins the new
    /// one.
    ///
    /// - Parameter edit: The change.
    func change(_ edit: (inout [AVPlayerItem]) -> Void) {
        let (old, new, rate) = lock.withLock {
            let old = queue.first
            edit(&queue)
            return (old, queue.first, heldRate)
        }
        if let old, old !== new { old.playback.detach() }
        guard let new else { return }
        new.playback.publish { published in
            guard published.atEnd.isEmpty || old !== new else { return }
            published.atEnd.append { [weak self, weak new] in
                if let new { self?.ended(new) }
            }
        }
        new.playback.attach(isPlaying: rate != 0)
    }

    private func ended(_ item: AVPlayerItem) {
        guard items.first === item else { return }
        if advances {
            change { $0.removeFirst() }
        } else {
            lock.withLock { heldRate = 0 }
        }
    }
}
