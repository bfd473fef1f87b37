// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio) && !os(macOS)
import AVFAudio
import Dispatch
import Foundation
public import WeirPlayback

// Unchecked: the observers and the task are set in the initializer and read in the deinitializer.
// The machine and the session are used only on the queue, and all other members are constant.

/// Coordinates a player with the other audio of a device: calls, alarms, other players, headphones.
///
/// It watches the player and the notifications of the shared audio session for as long as it lives.
/// The session is active from the moment when the player needs to play until it has stopped. Then
/// the system tells other applications that they may go on. The player is silent while another
/// application has the audio. It goes on if the system allows it and the user had not paused it. It
/// pauses when the headphones are removed. If the system ends an interruption without a hint to
/// resume, the guard activates the session again when the user resumes the player.
///
/// The guard does not block its callers: it uses the session on a queue of its own.
public final class AudioSessionGuard: @unchecked Sendable {
    private let player: any SessionPlayer
    private let center: NotificationCenter
    private var machine = SessionMachine()
    /// Handles one event after the other, never on the thread of the notification.
    ///
    /// Activating a session takes time, and the session may send more notifications meanwhile.
    private let queue = DispatchQueue(label: "weir.audio-session", qos: .userInitiated)
    private var observers: [any NSObjectProtocol] = []
    private var following: Task<Void, Never>?

    /// Watches a player from now on.
    ///
    /// - Parameter player: the player; kept alive.
    public convenience init(_ player: Player) {
        self.init(player, center: .default)
    }

    init(_ player: some SessionPlayer, center: NotificationCenter) {
        self.player = player
        self.center = center
        for name in SessionEvent.notifications {
            let observer = center.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] notification in
                guard let self, let event = SessionEvent(notification) else { return }
                self.queue.async { self.handle(event) }
            }
            self.observers.append(observer)
        }
        // Owned by the guard, which cancels it.
        self.following = Task { [player, weak self] in
            await player.followSoundNeed { [weak self] in self?.soundNeedChanged() }
        }
    }

    deinit {
        self.following?.cancel()
        for observer in self.observers { self.center.removeObserver(observer) }
    }

    /// Activates the session for playback, which is audible with the silent switch on and in the
    /// background.
    ///
    /// Call it before the player plays; the guard makes later activations itself.
    ///
    /// - Throws: the error of the system: another application has the audio and does not release
    ///   it.
    public func activate() async throws {
        try await self.onQueue { watch in
            try Self.configure()
            try watch.setActive(true)
        }
    }

    /// Deactivates the session, and lets the system tell other applications that they may go on.
    ///
    /// The guard does this itself when the player has stopped. Call it for a player that stays
    /// paused for long. When the player goes on, the guard activates the session again.
    ///
    /// - Throws: the error of the system: another part of this application still plays audio.
    public func deactivate() async throws {
        try await self.onQueue { watch in try watch.setActive(false) }
    }

    private static func configure() throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
    }

    /// Activates or deactivates the session; on the queue.
    private func setActive(_ isActive: Bool) throws {
        var succeeded = false
        // If deactivation fails, the session counts as inactive, so that it is activated before the
        // next audio.
        defer { self.handle(.activated(isActive && succeeded)) }
        try AVAudioSession.sharedInstance().setActive(
            isActive,
            options: isActive ? [] : .notifyOthersOnDeactivation
        )
        succeeded = true
    }

    private func onQueue(
        _ body: @escaping @Sendable (AudioSessionGuard) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            self.queue.async { done.resume(with: Result { try body(self) }) }
        }
    }

    /// Reads the need when the queue reaches the event, so that a need from before an interruption
    /// no longer counts.
    private func soundNeedChanged() {
        self.queue.async { self.handle(.needChanged(self.player.soundNeed)) }
    }

    private func handle(_ event: SessionEvent) {
        var isActive = true
        for effect in self.machine.handle(event, userHolds: self.player.isHeldByUser) {
            switch effect {
            case .hold: self.player.beHeld()
            case .release(let resumes): self.player.beReleased(resumes: resumes && isActive)
            case .pause: self.player.bePaused()
            // If the configuration fails, the next activation shows the failure.
            case .configure: try? Self.configure()
            case .activate: isActive = (try? self.setActive(true)) != nil
            // If the deactivation fails, another part of the application still plays audio in the
            // session.
            case .deactivate: try? self.setActive(false)
            case .renewSink: self.player.renewSink()
            }
        }
    }

    /// Returns when all earlier events have been handled.
    func settle() async {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
        }
    }
}
#endif
