// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Foundation

// Unchecked: everything is set in the initializer, on the main actor, and read in the deinitializer.

/// Watches a player, and resumes it after a stall as a ``StallMachine`` decides, for as long as it lives.
final class StallResumer: @unchecked Sendable {
    /// A player's notice, from any thread.
    private enum Notice: Sendable {
        case rateChanged(to: Float, StallMachine.Cause)
        case stalled(ObjectIdentifier)
        case supplyChanged
    }

    private let notices: AsyncStream<Notice>.Continuation
    private var observers: [any NSObjectProtocol] = []
    private var observations: [NSKeyValueObservation] = []

    /// Watches a player from now on.
    ///
    /// - Parameter player: the player; not kept alive.
    @MainActor
    init(_ player: AVPlayer) {
        let (stream, notices) = AsyncStream.makeStream(of: Notice.self)
        self.notices = notices
        // The key is isolated to the main actor, so it is read here: the notifications come on any thread.
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

    /// Handles a notice.
    ///
    /// Whether there are enough bytes is read at the time of handling. The rate and its cause belong together, so
    /// both are read at the time of the notification.
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
            // Every observer gets the stalls of all players.
            guard let item, ObjectIdentifier(item) == id else { return }
            rate = machine.handle(.stalled(canKeepUp: canKeepUp))
        case .supplyChanged: rate = machine.handle(.supplyChanged(canKeepUp: canKeepUp))
        }
        if let rate { player.rate = rate }
    }
}

extension StallMachine.Cause {
    /// The cause that a notification of a changed rate names; without a known reason, the player's.
    fileprivate init(_ reason: AVPlayer.RateDidChangeReason?) {
        switch reason {
        case .setRateCalled, .setRateFailed: self = .application
        case .audioSessionInterrupted, .appBackgrounded: self = .system
        default: self = .player
        }
    }
}
#endif
