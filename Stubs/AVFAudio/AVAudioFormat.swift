// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import AudioToolbox
public import Foundation

/// The arrangement of channels.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiochannellayout>
open class AVAudioChannelLayout: NSObject {
    /// The tag of the layout.
    public let layoutTag: AudioChannelLayoutTag

    /// The layout of a tag.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudiochannellayout/init(layouttag:)>
    public init?(layoutTag: AudioChannelLayoutTag) {
        self.layoutTag = layoutTag
    }

    /// How many channels there are.
    public var channelCount: AVAudioChannelCount { self.layoutTag & 0xFFFF }
}

/// The format of sound in memory; in the stub always one plane of `Float` for each channel.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioformat>
open class AVAudioFormat: NSObject {
    /// Frames a second.
    public let sampleRate: Double
    /// How many channels there are.
    public let channelCount: AVAudioChannelCount

    /// The standard format for one or two channels; `nil` for more.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioformat/init(standardformatwithsamplerate:channels:)>
    public init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        guard channels == 1 || channels == 2 else { return nil }
        self.sampleRate = sampleRate
        self.channelCount = channels
    }

    /// The standard format with a channel layout.
    public init(
        standardFormatWithSampleRate sampleRate: Double,
        channelLayout layout: AVAudioChannelLayout
    ) {
        self.sampleRate = sampleRate
        self.channelCount = layout.channelCount
    }
}
