// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirAudio
import WeirPlayback

@testable import WeirALSA

@Suite struct ALSALayoutTests {
    private static func format(_ layout: ChannelLayout) -> PCMFormat {
        PCMFormat(sampleRate: 48_000, channelCount: layout.count, channelLayout: layout)
    }

    @Test(
        "the device has the fewest channels that cover every loudspeaker of the sound",
        arguments: [
            ([.frontCentre], 1), (.stereo, 2), (.standard(3), 5), (.standard(4), 4),
            (.standard(5), 5),
            (.standard(6), 6), (.standard(8), 8),
            ([.frontLeft, .frontRight, .lowFrequency], 6),
            ([.frontLeft, .frontRight, .frontCentre, .backCentre], 5),
            ([.frontLeft, .frontRight, .sideLeft, .sideRight], 4),
            ([.frontLeft, .frontRight, .frontCentre, .lowFrequency, .sideLeft, .sideRight], 6),
            (.standard(7), 8),
        ] as [(ChannelLayout, Int)]
    )
    func best(layout: ChannelLayout, channelCount: Int) {
        let candidates = ALSALayout.candidates(for: Self.format(layout))
        #expect(candidates.first == channelCount)
        // A device with another channel count is found too.
        #expect(Set(candidates) == [1, 2, 4, 5, 6, 8])
    }

    @Test("channels without a loudspeaker stay as they are if the device has as many")
    func plain() {
        let format = PCMFormat(sampleRate: 48_000, channelCount: 12)
        #expect(ALSALayout.candidates(for: format).first == 12)
        let agreed = ALSALayout.agreed(format, sampleRate: 48_000, channelCount: 12)
        #expect(agreed == format)
        let fewer = ALSALayout.agreed(format, sampleRate: 44_100, channelCount: 2)
        #expect(fewer.channelLayout == .stereo && fewer.sampleRate == 44_100)
    }

    @Test("the rear channels come before the centre", arguments: 1...10)
    func order(channelCount: Int) {
        guard let order = ALSALayout.order(channelCount) else {
            return #expect(channelCount <= 4)
        }
        #expect(order.sorted() == Array(0..<channelCount))
        let positions = ALSALayout.of(channelCount).positions
        let named = order.compactMap { positions.indices.contains($0) ? positions[$0] : nil }
        let alsa: [ChannelLayout] = [
            .frontLeft, .frontRight, .backLeft, .backRight, .frontCentre, .lowFrequency, .sideLeft,
            .sideRight,
        ]
        #expect(named == Array(alsa.prefix(named.count)))
    }
}
#endif
