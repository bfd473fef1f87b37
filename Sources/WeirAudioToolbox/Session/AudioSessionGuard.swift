// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio) && !os(macOS)
import AVFAudio
import Dispatch
import Foundation
public import WeirPlayback

// Unchecked: the observers and the task are set while it is made and read when it goes, the machine and the session are
// used on the queue alone, and all else is constant.

/// Keeps a player on good terms with the other sounds of a device: calls, alarms, other players, headphones.
///
/// It follows the player and the notifications of the shared audio session for as long as it lives. The session is
/// active from the moment at which the player wants to sound until it has stopped; then other applications are told that
/// they may go on. The player is silent while another application has the sound, goes on where the system allows it and
/// the user had not paused, and is paused when the headphones are pulled. After an interruption that the system does not
/// end with a hint to go on, the session is activated again when the user lets the player go on.
///
/// Nothing of it blocks a caller: the session is used on a queue of the guard's own.
public final class AudioSessionGuard: @unchecked Sendable {
    private let player: any SessionPlayer
    private let center: NotificationCenter
    private var machine = SessionMachine()
    /// One event after the other, and never on the thread that tells of it: to activate a session takes its time, and
    /// the session may tell more meanwhile.
    private let queue = DispatchQueue(label: "weir.audio-session", qos: .userInitiated)
    private var observers: [any NSObjectProtocol] = []
    private var following: Task<Void, Never>?

    /// Guards a player, from now on.
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

    /// Tells the system that sound is to come, and that it is to be heard with the silent switch on and in the
    /// background.
    ///
    /// Call it before the player plays; later activations are the guard's own.
    ///
    /// - Throws: the error of the system: another application has the sound and does not give it up.
    public func activate() async throws {
        try await self.onQueue { watch in
            try Self.configure()
            try watch.setActive(true)
        }
    }

    /// Gives the sound back, and lets the system tell other applications that they may go on.
    ///
    /// The guard does so by itself when the player has stopped. Call it for a player that stays paused for long; when
    /// the player goes on, the guard activates the session again.
    ///
    /// - Throws: the error of the system: something of this application still sounds.
    public func deactivate() async throws {
        try await self.onQueue { watch in try watch.setActive(false) }
    }

    private static func configure() throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
    }

    /// Activates or deactivates the session; on the queue.
    private func setActive(_ isActive: Bool) throws {
        var succeeded = false
        // A session that could not be deactivated is taken for inactive, so that it is activated before the next sound.
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

    /// Reads the need when its turn has come: what was told before an interruption counts no more after it.
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
            // Whether it worked shows when the sound is taken back.
            case .configure: try? Self.configure()
            case .activate: isActive = (try? self.setActive(true)) != nil
            // Where it fails, something of the application still sounds, and the session is still its own.
            case .deactivate: try? self.setActive(false)
            case .renewSink: self.player.renewSink()
            }
        }
    }

    /// Returns when the events of before have been handled.
    func settle() async {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
        }
    }
}
#endif
