// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio) && !os(macOS)
import AVFAudio
import Foundation

extension SessionEvent {
    /// The notifications of an audio session that the guard handles.
    static let notifications: [Notification.Name] = [
        AVAudioSession.interruptionNotification,
        AVAudioSession.routeChangeNotification,
        AVAudioSession.mediaServicesWereLostNotification,
        AVAudioSession.mediaServicesWereResetNotification,
    ]

    /// Reads a notification of an audio session; `nil` for one that the guard does not handle.
    init?(_ notification: Notification) {
        switch notification.name {
        case AVAudioSession.interruptionNotification:
            self.init(interruption: notification.userInfo ?? [:])
        case AVAudioSession.routeChangeNotification:
            self = .routeChanged(RouteChange(notification.userInfo ?? [:]))
        case AVAudioSession.mediaServicesWereLostNotification: self = .mediaServicesLost
        case AVAudioSession.mediaServicesWereResetNotification: self = .mediaServicesReset
        default: return nil
        }
    }

    /// `AVAudioSessionInterruptionReasonAppWasSuspended`, by its number, since the name is deprecated.
    ///
    /// Before version 16, iOS sent it to an application that had been suspended, after the application woke up. The
    /// interruption is over then, and no end follows.
    private static let applicationWasSuspended: UInt = 1

    private init?(interruption information: [AnyHashable: Any]) {
        let type = Self.number(information, AVAudioSessionInterruptionTypeKey)
            .flatMap { AVAudioSession.InterruptionType(rawValue: $0) }
        switch type {
        case .began:
            let reason = Self.number(information, AVAudioSessionInterruptionReasonKey)
            if reason == Self.applicationWasSuspended { return nil }
            // No application has taken the audio, and no end follows: the output device is gone.
            self =
                reason == AVAudioSession.InterruptionReason.routeDisconnected.rawValue
                ? .routeDisconnected : .interruptionBegan
        case .ended:
            let options = Self.number(information, AVAudioSessionInterruptionOptionKey)
                .map { AVAudioSession.InterruptionOptions(rawValue: $0) }
            self = .interruptionEnded(shouldResume: options?.contains(.shouldResume) ?? false)
        default: return nil
        }
    }

    fileprivate static func number(_ information: [AnyHashable: Any], _ key: String) -> UInt? {
        (information[key] as? NSNumber)?.uintValue ?? information[key] as? UInt
    }
}

extension RouteChange {
    fileprivate init(_ information: [AnyHashable: Any]) {
        let reason = SessionEvent.number(information, AVAudioSessionRouteChangeReasonKey)
            .flatMap { AVAudioSession.RouteChangeReason(rawValue: $0) }
        switch reason {
        case .newDeviceAvailable: self = .newDeviceAvailable
        case .oldDeviceUnavailable: self = .oldDeviceUnavailable
        case .categoryChange: self = .categoryChange
        case .override: self = .override
        case .wakeFromSleep: self = .wakeFromSleep
        case .noSuitableRouteForCategory: self = .noSuitableRoute
        case .routeConfigurationChange: self = .routeConfigurationChange
        default: self = .unknown
        }
    }
}
#endif
