// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirAudio
import WeirPlayback

/// Which loudspeakers ALSA means by a number of channels, and which of its layouts suits sound.
///
/// ALSA's layouts have 1, 2, 4, 5, 6 and 8 channels, and what is behind before the centre. Of three and seven, drivers
/// and sound servers have different ideas, so these are not asked for.
enum ALSALayout {
    private static let counts = [1, 2, 4, 5, 6, 8]

    /// What a device of so many channels has.
    ///
    /// - Parameter channelCount: how many channels it has, from 1.
    /// - Returns: the largest of ALSA's layouts that it holds; channels beyond it are for no loudspeaker in particular.
    static func of(_ channelCount: Int) -> ChannelLayout {
        .standard(Self.counts.last { $0 <= channelCount } ?? 1)
    }

    /// Which channel of WAVE goes where, for a device of so many channels; `nil` where each is in its place.
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

    /// How many channels a device should have for sound, the best first.
    ///
    /// That is the smallest layout that has all of its loudspeakers, then larger ones; then those that lack few. Sides
    /// are as good as behind where only one of them is there. Sound that has channels for no loudspeaker in particular
    /// goes to as many as it has first.
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

    /// The loudspeakers of ALSA's layouts that sound goes to.
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

    /// What a device of so many channels takes of a format.
    ///
    /// - Parameters:
    ///   - format: what is to be played.
    ///   - sampleRate: of the device.
    ///   - channelCount: of the device.
    /// - Returns: the format of the samples that the device is given.
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
