// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirAudio
import WeirPlayback

/// The loudspeakers that ALSA assigns to a number of channels, and the best of its layouts for a
/// sound.
///
/// ALSA's layouts have 1, 2, 4, 5, 6 and 8 channels; the back channels come before the centre.
/// Drivers and sound servers disagree about three and seven channels, so Weir does not ask for
/// these.
enum ALSALayout {
    private static let counts = [1, 2, 4, 5, 6, 8]

    /// The layout of a device with so many channels.
    ///
    /// - Parameter channelCount: the device's number of channels, from 1.
    /// - Returns: the largest of ALSA's layouts that fits; the channels beyond it have no
    ///   particular loudspeaker.
    static func of(_ channelCount: Int) -> ChannelLayout {
        .standard(Self.counts.last { $0 <= channelCount } ?? 1)
    }

    /// The WAVE channel for each channel of a device with so many channels; `nil` when the order is
    /// the same.
    static func order(_ channelCount: Int) -> [Int]? {
        let first: [Int]
        switch channelCount {
        case ...4: return nil
        case 5: first = [0, 1, 3, 4, 2]
        case 6, 7: first = [0, 1, 4, 5, 2, 3]
        default: first = [0, 1, 4, 5, 2, 3, 6, 7]
        }
        return first + (first.count..<channelCount)
    }

    /// The channel counts to ask a device for, in order of preference.
    ///
    /// The first is the smallest layout that has all of the sound's loudspeakers. Larger ones
    /// follow, then layouts that lack few loudspeakers. If the sound has only side or only back
    /// channels, either pair fits. If the sound has channels for no particular loudspeaker, its own
    /// channel count comes first.
    static func candidates(for format: PCMFormat) -> [Int] {
        if format.channelCount == 1 { return Self.counts }
        let wanted = Self.wanted(format.channelLayout)
        let sorted = Self.counts.sorted { left, right in
            let (lacksLeft, lacksRight) = (Self.lacks(left, wanted), Self.lacks(right, wanted))
            return lacksLeft == lacksRight ? left < right : lacksLeft < lacksRight
        }
        guard format.channelCount > format.channelLayout.count else { return sorted }
        return [format.channelCount] + sorted.filter { $0 != format.channelCount }
    }

    private static func lacks(_ channelCount: Int, _ wanted: ChannelLayout) -> Int {
        wanted.subtracting(.standard(channelCount)).count
    }

    /// The loudspeakers of ALSA's layouts that the sound uses.
    private static func wanted(_ layout: ChannelLayout) -> ChannelLayout {
        let sides: ChannelLayout = [.sideLeft, .sideRight]
        let back: ChannelLayout = [.backLeft, .backRight]
        let isBehind = !layout.isDisjoint(
            with: [
                .backLeft, .backRight, .backCentre, .topBackLeft, .topBackCentre, .topBackRight,
            ]
        )
        var wanted: ChannelLayout = .stereo
        let centre: ChannelLayout = [.frontCentre, .topFrontCentre]
        if !layout.isDisjoint(with: centre) { wanted.insert(.frontCentre) }
        if layout.contains(.lowFrequency) { wanted.insert(.lowFrequency) }
        if isBehind { wanted.formUnion(back) }
        if !layout.isDisjoint(with: sides) { wanted.formUnion(isBehind ? sides : back) }
        return wanted
    }

    /// The format in which a device with so many channels gets a sound.
    ///
    /// - Parameters:
    ///   - format: the format of the sound to play.
    ///   - sampleRate: the device's rate.
    ///   - channelCount: the device's number of channels.
    /// - Returns: the format of the samples for the device.
    static func agreed(_ format: PCMFormat, sampleRate: Int, channelCount: Int) -> PCMFormat {
        let isAsItIs =
            channelCount == format.channelCount && channelCount > format.channelLayout.count
        return PCMFormat(
            sampleRate: sampleRate,
            channelCount: channelCount,
            channelLayout: isAsItIs ? format.channelLayout : Self.of(channelCount),
            significantBits: format.significantBits
        )
    }
}
#endif
