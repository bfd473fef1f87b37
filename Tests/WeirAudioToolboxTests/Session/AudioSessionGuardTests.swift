// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFAudio
import Foundation
import Synchronization
import Testing
import WeirTestKit

@testable import WeirAudioToolbox

@Suite("A player under an audio session guard", .serialized, .timeLimit(.minutes(1)))
struct AudioSessionGuardTests {
    /// Records the calls that it receives.
    final class ToldPlayer: SessionPlayer {
        let told = Mutex<[String]>([])
        let holds = Mutex(false)
        let need = Watched(SoundNeed.silence)

        var isHeldByUser: Bool { self.holds.withLock { $0 } }
        func bePaused() { self.told.withLock { $0.append("pause") } }
        func beHeld() { self.told.withLock { $0.append("hold") } }
        func beReleased(resumes: Bool) { self.told.withLock { $0.append("release \(resumes)") } }
        func renewSink() { self.told.withLock { $0.append("renew") } }
        var soundNeed: SoundNeed { self.need.value }
        func followSoundNeed(_ changed: @Sendable () -> Void) async {
            for await _ in self.changes.0 { changed() }
        }
        private let changes = AsyncStream.makeStream(of: Void.self)

        /// Changes the need for sound.
        func need(_ need: SoundNeed) {
            self.need.update { $0 = need }
            self.changes.1.yield()
        }

        func take() -> [String] {
            self.told.withLock { told in
                defer { told = [] }
                return told
            }
        }
    }

    private let center = NotificationCenter()
    private let player = ToldPlayer()

    private func post(
        _ name: Notification.Name,
        _ information: [AnyHashable: Any],
        _ watch: AudioSessionGuard
    ) async -> [String] {
        _ = AVAudioSession.sharedInstance().stubTakeLog()
        self.center.post(name: name, object: nil, userInfo: information)
        await watch.settle()
        return self.player.take() + AVAudioSession.sharedInstance().stubTakeLog()
    }

    @Test("is silent during a phone call, and plays on after it")
    func call() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        let name = AVAudioSession.interruptionNotification
        let began: [AnyHashable: Any] = [AVAudioSessionInterruptionTypeKey: UInt(1)]
        #expect(await self.post(name, began, watch) == ["hold"])
        let ended: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: NSNumber(value: UInt(0)),
            AVAudioSessionInterruptionOptionKey: NSNumber(value: UInt(1)),
        ]
        #expect(await self.post(name, ended, watch) == ["release true", "active"])
    }

    @Test("stays silent while the system, the user or another application forbids sound")
    func silent() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        let name = AVAudioSession.interruptionNotification
        let began: [AnyHashable: Any] = [AVAudioSessionInterruptionTypeKey: UInt(1)]
        var ended: [AnyHashable: Any] = [AVAudioSessionInterruptionTypeKey: UInt(0)]
        _ = await self.post(name, began, watch)
        #expect(await self.post(name, ended, watch) == ["release false"])

        ended[AVAudioSessionInterruptionOptionKey] = UInt(1)
        _ = await self.post(name, began, watch)
        self.player.holds.withLock { $0 = true }
        #expect(await self.post(name, ended, watch) == ["release false"])
        self.player.holds.withLock { $0 = false }

        AVAudioSession.sharedInstance().stubRefuses = true
        defer { AVAudioSession.sharedInstance().stubRefuses = false }
        _ = await self.post(name, began, watch)
        #expect(await self.post(name, ended, watch) == ["release false", "active"])
        await #expect(throws: NSError.self) { try await watch.activate() }
    }

    /// Waits for requests to the session.
    private func asked() async -> [String] {
        while true {
            let log = AVAudioSession.sharedInstance().stubTakeLog()
            if !log.isEmpty { return log }
            await Task.yield()
        }
    }

    @Test(
        "activates the session when the player wants sound, and releases it when the player has stopped"
    )
    func need() async throws {
        _ = AVAudioSession.sharedInstance().stubTakeLog()
        let watch = AudioSessionGuard(self.player, center: self.center)
        self.player.need(.sound)
        #expect(await self.asked() == ["active"])
        self.player.need(.none)
        #expect(await self.asked() == ["inactive, others told"])
        try await watch.activate()
        let configured = "category AVAudioSessionCategoryPlayback AVAudioSessionModeDefault"
        #expect(AVAudioSession.sharedInstance().stubTakeLog() == [configured, "active"])
        try await watch.deactivate()
        #expect(AVAudioSession.sharedInstance().stubTakeLog() == ["inactive, others told"])
        self.player.need(.sound)
        #expect(await self.asked() == ["active"])
    }

    @Test("activates the session again when the user goes on after an interruption without a hint")
    func goesOn() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        self.player.need(.sound)
        #expect(await self.asked().last == "active")
        let name = AVAudioSession.interruptionNotification
        _ = await self.post(name, [AVAudioSessionInterruptionTypeKey: UInt(1)], watch)
        let ended = await self.post(name, [AVAudioSessionInterruptionTypeKey: UInt(0)], watch)
        #expect(ended == ["release false"])
        self.player.need(.sound)
        #expect(await self.asked() == ["active"])
    }

    @Test("an interruption from a time when the application slept is ignored")
    func slept() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        let began: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: UInt(1),
            AVAudioSessionInterruptionReasonKey: UInt(1),
        ]
        let name = AVAudioSession.interruptionNotification
        #expect(await self.post(name, began, watch) == [])
        #expect(await self.post(name, [AVAudioSessionInterruptionTypeKey: "x"], watch) == [])
        #expect(await self.post(name, [:], watch) == [])
    }

    @Test("pauses when the headphones are pulled, and for no other route change")
    func unplugged() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        for reason in UInt(0)...9 {
            let told = await self.post(
                AVAudioSession.routeChangeNotification,
                [AVAudioSessionRouteChangeReasonKey: reason],
                watch
            )
            #expect(told == (reason == 2 ? ["pause"] : []))
        }
    }

    @Test("pauses when an interruption means a lost route, since no end follows")
    func disconnected() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        let name = AVAudioSession.interruptionNotification
        let began: [AnyHashable: Any] = [
            AVAudioSessionInterruptionTypeKey: UInt(1),
            AVAudioSessionInterruptionReasonKey: UInt(4),
        ]
        #expect(await self.post(name, began, watch) == ["pause"])
        self.player.holds.withLock { $0 = true }
        #expect(await self.post(name, began, watch) == [])
        let change = AVAudioSession.routeChangeNotification
        let gone: [AnyHashable: Any] = [AVAudioSessionRouteChangeReasonKey: UInt(2)]
        #expect(await self.post(change, gone, watch) == [])
    }

    @Test("starts again when the media server is back")
    func reset() async {
        let watch = AudioSessionGuard(self.player, center: self.center)
        let lost = AVAudioSession.mediaServicesWereLostNotification
        #expect(await self.post(lost, [:], watch) == ["hold"])
        let told = await self.post(
            AVAudioSession.mediaServicesWereResetNotification,
            [:],
            watch
        )
        let configured = "category AVAudioSessionCategoryPlayback AVAudioSessionModeDefault"
        #expect(told == ["renew", "release true", configured, "active"])
    }

    @Test("handles nothing after its release")
    func gone() async {
        var watch: AudioSessionGuard? = AudioSessionGuard(self.player, center: self.center)
        weak let left = watch
        await watch?.settle()
        watch = nil
        #expect(left == nil)
        self.center.post(name: AVAudioSession.mediaServicesWereLostNotification, object: nil)
        #expect(self.player.take() == [])
    }
}
#endif
