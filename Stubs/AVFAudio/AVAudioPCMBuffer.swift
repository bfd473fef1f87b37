// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Sound in memory.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer>
open class AVAudioPCMBuffer: NSObject {
    /// The format of the samples.
    public let format: AVAudioFormat
    /// How many frames the buffer can hold.
    public let frameCapacity: AVAudioFrameCount
    /// How many frames the buffer holds.
    public var frameLength: AVAudioFrameCount = 0

    private let planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    /// A buffer for a number of frames.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer/init(pcmformat:framecapacity:)>
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        self.format = format
        self.frameCapacity = frameCapacity
        let channels = Int(format.channelCount)
        self.planes = .allocate(capacity: channels)
        for channel in 0..<channels {
            let plane = UnsafeMutablePointer<Float>.allocate(capacity: max(1, Int(frameCapacity)))
            plane.initialize(repeating: 0, count: max(1, Int(frameCapacity)))
            (self.planes + channel).initialize(to: plane)
        }
    }

    deinit {
        for channel in 0..<Int(self.format.channelCount) { self.planes[channel].deallocate() }
        self.planes.deallocate()
    }

    /// The planes, one for each channel.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer/floatchanneldata>
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
        UnsafePointer(self.planes)
    }
}
