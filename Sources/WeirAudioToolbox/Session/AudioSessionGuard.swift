// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio) && !os(macOS)
import AVFAudio
import Dispatch
import Foundation
public import WeirPlayback

// Unchecked: the observers are set while it is made and read when it goes, the machine is used on the queue alone, and
// all else is constant.

/// Keeps a player on good terms with the other sounds of a device: calls, alarms, other players, headphones.
///
/// It follows the notifications of the shared audio session for as long as it lives, and tells the player what a
/// ``SessionMachine`` decides: silent while another application has the sound, on again where the system allows it and
/// the user had not paused, paused when the headphones are pulled.
public final class AudioSessionGuard: @unchecked Sendable {
    private let player: any SessionPlayer
    private let center: NotificationCenter
    private var machine = SessionMachine()
    /// One event after the other, and never on the thread that tells of it: a session that is activated may tell more.
    private let queue = DispatchQueue(label: "weir.audio-session", qos: .userInitiated)
    private var observers: [any NSObjectProtocol] = []

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
    }

    deinit {
        for observer in self.observers { self.center.removeObserver(observer) }
    }

    /// Tells the system that sound is to come, and that it is to be heard with the silent switch on and in the
    /// background.
    ///
    /// Call it before the player plays.
    ///
    /// - Throws: the error of the system: another application has the sound and does not give it up.
    public func activate() throws {
        try Self.configure()
        try AVAudioSession.sharedInstance().setActive(true)
    }

    private static func configure() throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
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
            case .activate: isActive = Self.takeSoundBack()
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

    private static func takeSoundBack() -> Bool {
        do {
            try AVAudioSession.sharedInstance().setActive(true)
            return true
        } catch {
            return false
        }
    }
}
#endif
