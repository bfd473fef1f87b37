// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Plays items one after the other; the stub loads only the first item.
///
/// <https://developer.apple.com/documentation/avfoundation/avqueueplayer>
open class AVQueuePlayer: AVPlayer {
    /// A player of a queue.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/init(items:)>
    ///
    /// - Parameter items: The queue.
    nonisolated public init(items: [AVPlayerItem]) {
        super.init(stubItems: items, advances: true)
    }

    /// A player of an empty queue.
    nonisolated public convenience init() {
        self.init(items: [])
    }

    /// The queue, the current item first.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/items()>
    ///
    /// - Returns: The items.
    nonisolated open func items() -> [AVPlayerItem] {
        transport.items
    }

    /// Advances to the next item; requests of the previous item are not cancelled.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/advancetonextitem()>
    nonisolated open func advanceToNextItem() {
        transport.change { if !$0.isEmpty { $0.removeFirst() } }
    }

    /// Whether an item can be inserted into the queue: not if the queue contains it.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/caninsert(_:after:)>
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item to insert behind; nil for the end of the queue.
    /// - Returns: Whether the item can be inserted.
    nonisolated open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        let items = transport.items
        return !items.contains { $0 === item }
            && (afterItem == nil || items.contains { $0 === afterItem })
    }

    /// Inserts an item into the queue.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/insert(_:after:)>
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - afterItem: The item to insert behind; nil for the end of the queue.
    nonisolated open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else { return }
        transport.change { items in
            let index = items.firstIndex { $0 === afterItem }
            items.insert(item, at: index.map { $0 + 1 } ?? items.endIndex)
        }
    }

    /// Removes an item from the queue.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/remove(_:)>
    ///
    /// - Parameter item: The item.
    nonisolated open func remove(_ item: AVPlayerItem) {
        transport.change { $0.removeAll { $0 === item } }
    }

    /// Empties the queue.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avqueueplayer/removeallitems()>
    nonisolated open func removeAllItems() {
        transport.change { $0 = [] }
    }
}
