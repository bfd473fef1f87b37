// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Under which key an interruption says whether it begins.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// Under which key an interruption says whether to go on.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// Under which key an interruption says why.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// Under which key a change of route says why.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

/// What an application says of its sound, and what the system tells it; not there on macOS.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiosession>
// Unchecked: all that changes is under a lock.
open class AVAudioSession: NSObject, @unchecked Sendable {
    /// What sound is for.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String

        /// A category.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// To be heard.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    }

    /// How sound of a category is treated.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String

        /// A mode.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// As usual.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    }

    /// Beside what other sound.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    /// What others are told.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tell other applications that they may go on.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// Which end of an interruption.
    public enum InterruptionType: UInt, Sendable {
        /// The first.
        case began = 1
        /// The last.
        case ended = 0
    }

    /// What to do after an interruption.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Go on.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why an interruption.
    public enum InterruptionReason: UInt, Sendable {
        /// Another sound.
        case `default` = 0
        /// The application was asleep; not told since iOS 16.
        @available(*, deprecated, message: "wasSuspended reason no longer present")
        case appWasSuspended = 1
        /// The microphone is off.
        case builtInMicMuted = 2
        /// What sound came out of has gone; since iOS 17.
        case routeDisconnected = 4
    }

    /// Why another route.
    public enum RouteChangeReason: UInt, Sendable {
        /// Nobody knows.
        case unknown = 0
        /// A device is there.
        case newDeviceAvailable = 1
        /// A device is gone.
        case oldDeviceUnavailable = 2
        /// Another category.
        case categoryChange = 3
        /// Somebody wants it.
        case override = 4
        /// The device woke.
        case wakeFromSleep = 6
        /// There is none.
        case noSuitableRouteForCategory = 7
        /// Otherwise arranged.
        case routeConfigurationChange = 8
    }

    /// An interruption begins or ends.
    public static let interruptionNotification = NSNotification.Name(
        "AVAudioSessionInterruptionNotification"
    )
    /// Sound goes another way.
    public static let routeChangeNotification = NSNotification.Name(
        "AVAudioSessionRouteChangeNotification"
    )
    /// The media server has gone.
    public static let mediaServicesWereLostNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereLostNotification"
    )
    /// The media server is back.
    public static let mediaServicesWereResetNotification = NSNotification.Name(
        "AVAudioSessionMediaServicesWereResetNotification"
    )

    private static let shared = AVAudioSession()
    private let lock = NSLock()
    private var log: [String] = []
    private var refuses = false

    /// The session.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiosession/sharedinstance()>
    open class func sharedInstance() -> AVAudioSession { self.shared }

    /// Says what sound is for.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiosession/setcategory(_:mode:options:)>
    open func setCategory(
        _ category: Category,
        mode: Mode,
        options: CategoryOptions = []
    ) throws {
        self.lock.withLock { self.log.append("category \(category.rawValue) \(mode.rawValue)") }
    }

    /// Takes the sound, or gives it up.
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

    /// What was asked of the session since the log was taken last; not Apple's.
    public func stubTakeLog() -> [String] {
        self.lock.withLock {
            defer { self.log = [] }
            return self.log
        }
    }

    /// Whether another application keeps the sound to itself; not Apple's.
    public var stubRefuses: Bool {
        get { self.lock.withLock { self.refuses } }
        set { self.lock.withLock { self.refuses = newValue } }
    }
}
