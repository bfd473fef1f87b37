// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK: all mutable state is behind `lock`; the player is called outside the lock.

/// Plays copies of an item again and again; the copies share its asset, and so its resource loader.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayerlooper>
open class AVPlayerLooper: NSObject, @unchecked Sendable {
    /// The state of a looper.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/status-swift.enum>
    public enum Status: Int, Sendable {
        /// Not known yet.
        case unknown = 0
        /// The looper loops.
        case ready = 1
        /// The looper cannot loop.
        case failed = 2
        /// The looper was disabled.
        case cancelled = 3
    }

    private let template: AVPlayerItem
    private let lock = NSLock()
    private weak var player: AVQueuePlayer?
    private var copies: [AVPlayerItem] = []
    private var count = 0
    private var isDisabled = false
    private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// A looper of a part of an item.
    ///
    /// The stub makes three copies, and a new one at the end of each; the real looper reuses its copies.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/init(player:templateitem:timerange:)>
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - itemToLoop: The item to copy; it is never played itself.
    ///   - loopRange: Unused: the stub loops the whole item.
    public init(
        player: AVQueuePlayer,
        templateItem itemToLoop: AVPlayerItem,
        timeRange loopRange: CMTimeRange
    ) {
        template = itemToLoop
        self.player = player
        super.init()
        for _ in 0..<3 { addCopy() }
    }

    /// A looper of an item.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/init(player:templateitem:)>
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - itemToLoop: The item to copy; it is never played itself.
    public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
        self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
    }

    /// The state of the looper.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/status-swift.property>
    public var status: Status { lock.withLock { isDisabled ? .cancelled : .ready } }

    /// Why the looper cannot loop: nil, in the stub.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/error>
    public var error: (any Error)? { nil }

    /// How many times the item was played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/loopcount>
    public var loopCount: Int { lock.withLock { count } }

    /// The waiting and playing copies.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/loopingplayeritems>
    public var loopingPlayerItems: [AVPlayerItem] { lock.withLock { copies } }

    /// Disables looping: the playing copy is the last.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/disablelooping()>
    open func disableLooping() {
        let waiting = lock.withLock {
            isDisabled = true
            return copies.dropFirst()
        }
        for copy in waiting { player?.remove(copy) }
    }

    /// Waits until the item was played a number of times; not Apple's.
    ///
    /// - Parameter wanted: The number of times.
    public func stubWait(forLoops wanted: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if count < wanted { waiters.append((wanted, continuation)) }
                return count >= wanted
            }
            if isThere { continuation.resume() }
        }
    }

    private func addCopy() {
        guard let copy = template.copy() as? AVPlayerItem else { return }
        lock.withLock { copies.append(copy) }
        copy.playback.publish { published in
            published.atEnd.append { [weak self] in self?.ended() }
        }
        player?.insert(copy, after: nil)
    }

    private func ended() {
        let (goesOn, reached) = lock.withLock {
            count += 1
            if !copies.isEmpty { copies.removeFirst() }
            let reached = waiters.filter { $0.count <= count }
            waiters.removeAll { $0.count <= count }
            return (!isDisabled, reached)
        }
        if goesOn { addCopy() }
        for waiter in reached { waiter.continuation.resume() }
    }
}
