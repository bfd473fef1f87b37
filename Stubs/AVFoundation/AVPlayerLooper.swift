// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK: what changes is behind `lock`; the player is called without it.

/// Plays copies of an item again and again; the copies share its asset, and so its resource loader.
///
/// <https://developer.apple.com/documentation/avfoundation/avplayerlooper>
open class AVPlayerLooper: NSObject, @unchecked Sendable {
    /// How a looper is.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/status-swift.enum>
    public enum Status: Int, Sendable {
        /// Not known yet.
        case unknown = 0
        /// It loops.
        case ready = 1
        /// It cannot loop.
        case failed = 2
        /// It loops no more.
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
    /// The stub makes three copies, and another one at the end of each; the real one uses its copies again.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/init(player:templateitem:timerange:)>
    ///
    /// - Parameters:
    ///   - player: Who plays.
    ///   - itemToLoop: What; it is never played itself.
    ///   - loopRange: Not looked at: the stub loops everything.
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
    ///   - player: Who plays.
    ///   - itemToLoop: What; it is never played itself.
    public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
        self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
    }

    /// How it is.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/status-swift.property>
    public var status: Status { lock.withLock { isDisabled ? .cancelled : .ready } }

    /// Why it cannot loop: never.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/error>
    public var error: (any Error)? { nil }

    /// How many times the item was played.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/loopcount>
    public var loopCount: Int { lock.withLock { count } }

    /// The copies that are waiting or playing.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/loopingplayeritems>
    public var loopingPlayerItems: [AVPlayerItem] { lock.withLock { copies } }

    /// Loops no more: the copy that plays is the last.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avplayerlooper/disablelooping()>
    open func disableLooping() {
        let waiting = lock.withLock {
            isDisabled = true
            return copies.dropFirst()
        }
        for copy in waiting { player?.remove(copy) }
    }

    /// Waits until the item was played so many times; not Apple's.
    ///
    /// - Parameter wanted: How many.
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
