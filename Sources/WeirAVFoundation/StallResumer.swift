// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Foundation

// Unchecked: everything is set while it is made, on the main actor, and read when it goes.

/// Follows a player, and lets it play on after a stall as a ``StallMachine`` decides; for as long as it lives.
final class StallResumer: @unchecked Sendable {
    /// What a player tells, from any thread.
    private enum Notice: Sendable {
        case rateChanged(to: Float, StallMachine.Cause)
        case stalled(ObjectIdentifier)
        case supplyChanged
    }

    private let notices: AsyncStream<Notice>.Continuation
    private var observers: [any NSObjectProtocol] = []
    private var observations: [NSKeyValueObservation] = []

    /// Follows a player, from now on.
    ///
    /// - Parameter player: the player; not kept alive.
    @MainActor
    init(_ player: AVPlayer) {
        let (stream, notices) = AsyncStream.makeStream(of: Notice.self)
        self.notices = notices
        // Read here, where its class's actor is; the notifications come on any thread.
        let reasonKey = AVPlayer.rateDidChangeReasonKey
        self.observers = [
            NotificationCenter.default.addObserver(
                forName: AVPlayer.rateDidChangeNotification,
                object: player,
                queue: nil
            ) { notification in
                guard let player = notification.object as? AVPlayer else { return }
                let reason = notification.userInfo?[reasonKey] as? AVPlayer.RateDidChangeReason
                notices.yield(.rateChanged(to: player.rate, StallMachine.Cause(reason)))
            },
            NotificationCenter.default.addObserver(
                forName: AVPlayerItem.playbackStalledNotification,
                object: nil,
                queue: nil
            ) { notification in
                guard let item = notification.object as? AVPlayerItem else { return }
                notices.yield(.stalled(ObjectIdentifier(item)))
            },
        ]
        self.observations = [
            player.observe(\.currentItem?.isPlaybackLikelyToKeepUp) { _, _ in
                notices.yield(.supplyChanged)
            },
            player.observe(\.currentItem?.isPlaybackBufferFull) { _, _ in
                notices.yield(.supplyChanged)
            },
        ]
        // Owned by this object, which finishes the stream; ends with it.
        Task { @MainActor [weak player] in
            var machine = StallMachine(rate: player?.rate ?? 0)
            for await notice in stream {
                guard let player else { return }
                Self.handle(notice, of: player, &machine)
            }
        }
    }

    deinit {
        self.notices.finish()
        for observer in self.observers { NotificationCenter.default.removeObserver(observer) }
        for observation in self.observations { observation.invalidate() }
    }

    /// Takes a notice in.
    ///
    /// Whether there are enough bytes is read when it has its turn; the rate and its cause belong together, and are read
    /// when they are told.
    @MainActor
    private static func handle(
        _ notice: Notice,
        of player: AVPlayer,
        _ machine: inout StallMachine
    ) {
        let item = player.currentItem
        let canKeepUp = item.map { $0.isPlaybackLikelyToKeepUp || $0.isPlaybackBufferFull } ?? false
        let rate: Float?
        switch notice {
        case .rateChanged(let now, let cause): rate = machine.handle(.rateChanged(to: now, cause))
        case .stalled(let id):
            // Stalls of all players are told to everyone.
            guard let item, ObjectIdentifier(item) == id else { return }
            rate = machine.handle(.stalled(canKeepUp: canKeepUp))
        case .supplyChanged: rate = machine.handle(.supplyChanged(canKeepUp: canKeepUp))
        }
        if let rate { player.rate = rate }
    }
}

extension StallMachine.Cause {
    /// The cause that a notification of a changed rate names; what it does not name is the player's.
    fileprivate init(_ reason: AVPlayer.RateDidChangeReason?) {
        switch reason {
        case .setRateCalled, .setRateFailed: self = .application
        case .audioSessionInterrupted, .appBackgrounded: self = .system
        default: self = .player
        }
    }
}
#endif
