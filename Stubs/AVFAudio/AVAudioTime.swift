// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A moment: of the host's clock, of a stream of samples, or of both.
///
/// The host's clock counts nanoseconds here.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiotime>
open class AVAudioTime: NSObject {
    /// On the host's clock.
    public let hostTime: UInt64
    /// Whether that is known.
    public let isHostTimeValid: Bool
    /// In frames.
    public let sampleTime: AVAudioFramePosition
    /// Whether that is known.
    public let isSampleTimeValid: Bool
    /// Frames a second.
    public let sampleRate: Double

    /// A moment of the host's clock.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/init(hosttime:)>
    public init(hostTime: UInt64) {
        self.hostTime = hostTime
        self.isHostTimeValid = true
        self.sampleTime = 0
        self.isSampleTimeValid = false
        self.sampleRate = 0
    }

    /// A moment of both.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/init(hosttime:sampletime:atrate:)>
    public init(
        hostTime: UInt64,
        sampleTime: AVAudioFramePosition,
        atRate sampleRate: Double
    ) {
        self.hostTime = hostTime
        self.isHostTimeValid = true
        self.sampleTime = sampleTime
        self.isSampleTimeValid = true
        self.sampleRate = sampleRate
    }

    /// How much the host's clock counts in so many seconds.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/hosttime(forseconds:)>
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        UInt64((seconds * 1e9).rounded())
    }

    /// How many seconds the host's clock needs to count so far.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/seconds(forhosttime:)>
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval {
        TimeInterval(hostTime) / 1e9
    }
}
