// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The key for the type of an interruption: its begin or its end.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key for the options of an interruption, such as whether to resume.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key for the reason of an interruption.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// The key for the reason of a route change.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// An application's settings for its sound, and the system's notifications; not available on macOS.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiosession>
// Unchecked: all mutable state is behind a lock.
open class AVAudioSession: NSObject, @unchecked Sendable {
    /// The purpose of the sound.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String

        /// A category.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound for listening.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    }

    /// How the system treats the sound of a category.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String

        /// A mode.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The default mode.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    }

    /// How the sound combines with other sound.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    /// What the system does for other applications.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies other applications that they may resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The begin or the end of an interruption.
    public enum InterruptionType: UInt, Sendable {
        /// The interruption begins.
        case began = 1
        /// The interruption ends.
        case ended = 0
    }

    /// What the application should do after an interruption.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The application should resume.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The reason of an interruption.
    public enum InterruptionReason: UInt, Sendable {
        /// Another application plays sound.
        case `default` = 0
        /// The application was suspended; not reported since iOS 16.
        @available(*, deprecated, message: "wasSuspended reason no longer present")
        case appWasSuspended = 1
        /// The microphone is off.
        case builtInMicMuted = 2
        /// The output device has disconnected; since iOS 17.
        case routeDisconnected = 4
    }

    /// The reason of a route change.
    public enum RouteChangeReason: UInt, Sendable {
        /// The reason is unknown.
        case unknown = 0
        /// A new device is available.
        case newDeviceAvailable = 1
        /// The old device is no longer available.
        case oldDeviceUnavailable = 2
        /// The category has changed.
        case categoryChange = 3
        /// The route was overridden.
        case override = 4
        /// The device woke from sleep.
        case wakeFromSleep = 6
        /// No route suits the category.
        case noSuitableRouteForCategory = 7
        /// The configuration of the route has changed.
        case routeConfigurationChange = 8
    }

    /// Posted when an interruption begins or ends.
    public static let interruptionNotification = NSNotification.Name(
        "AVAudioSessionInterruptionNotification"
    )
    /// Posted when the route of the sound has changed.
    public static let routeChangeNotification = NSNotification.Name(
        "AVAudioSessionRouteChangeNotification"
    )
    /// Posted when the media server has ended.
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification"
    )
    /// Posted when the media server has restarted.
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification"
    )

    private static let shared = AVAudioSession()
    private let lock = NSLock()
    private var log: [String] = []
    private var refuses = false

    /// The shared session.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiosession/sharedinstance()>
    open class func sharedInstance() -> AVAudioSession { self.shared }

    /// Sets the purpose of the sound.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiosession/setcategory(_:mode:options:)>
    open func setCategory(
        _ category: Category,
        mode: Mode,
        options: CategoryOptions = []
    ) throws {
        self.lock.withLock { self.log.append("category \(category.rawValue) \(mode.rawValue)") }
    }

    /// Activates or deactivates the session.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiosession/setactive(_:options:)>
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        let refuses = self.lock.withLock {
            let notifies = options.contains(.notifyOthersOnDeactivation)
            self.log.append(active ? "active" : notifies ? "inactive, others told" : "inactive")
            return self.refuses
        }
        if refuses { throw NSError(domain: NSOSStatusErrorDomain, code: 560_557_684) }
    }

    /// The calls of the session since the last call of this function; not Apple's.
    public func stubTakeLog() -> [String] {
        self.lock.withLock {
            defer { self.log = [] }
            return self.log
        }
    }

    /// Whether another application uses the sound exclusively; not Apple's.
    public var stubRefuses: Bool {
        get { self.lock.withLock { self.refuses } }
        set { self.lock.withLock { self.refuses = newValue } }
    }
}
