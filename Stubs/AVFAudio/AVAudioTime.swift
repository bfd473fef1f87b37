// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A time on the host's clock, in a stream of samples, or both.
///
/// In the stub the host's clock counts nanoseconds.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiotime>
open class AVAudioTime: NSObject {
    /// The time on the host's clock.
    public let hostTime: UInt64
    /// Whether the host time is valid.
    public let isHostTimeValid: Bool
    /// The time in frames.
    public let sampleTime: AVAudioFramePosition
    /// Whether the sample time is valid.
    public let isSampleTimeValid: Bool
    /// Frames a second.
    public let sampleRate: Double

    /// A time on the host's clock.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/init(hosttime:)>
    public init(hostTime: UInt64) {
        self.hostTime = hostTime
        self.isHostTimeValid = true
        self.sampleTime = 0
        self.isSampleTimeValid = false
        self.sampleRate = 0
    }

    /// A time on the host's clock and in a stream of samples.
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

    /// The number of units of the host's clock in a number of seconds.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/hosttime(forseconds:)>
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        UInt64((seconds * 1e9).rounded())
    }

    /// The number of seconds in a number of units of the host's clock.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiotime/seconds(forhosttime:)>
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval {
        TimeInterval(hostTime) / 1e9
    }
}
