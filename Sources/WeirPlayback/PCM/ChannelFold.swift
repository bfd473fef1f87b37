// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The replacement of missing loudspeakers, with the coefficients of ITU-R BS.775 as in
/// libswresample.
///
/// Low frequencies are dropped. A top channel goes to the channel below it, while libswresample
/// drops it.
struct ChannelFold {
    /// A share of a channel.
    struct Part: Equatable {
        let position: ChannelLayout
        let factor: Float
    }

    /// The input's loudspeakers.
    let input: ChannelLayout
    /// The output's loudspeakers: they include the front centre, or left and right.
    let output: ChannelLayout

    private static let half = Float(0.5).squareRoot()

    init(from input: ChannelLayout, to output: ChannelLayout) {
        self.input = input
        self.output = output
    }

    /// The targets of a mono channel: the centre if the output has one, else left and right.
    var partsOfMono: [Part] {
        if self.output.contains(.frontCentre) { return [Part(position: .frontCentre, factor: 1)] }
        return ChannelLayout.stereo.positions.map { Part(position: $0, factor: 1) }
    }

    /// The targets of a channel; none for low frequencies if the output has no channel for them.
    func parts(of position: ChannelLayout) -> [Part] {
        if self.output.contains(position) { return [Part(position: position, factor: 1)] }
        if let below = Self.below[position] {
            return self.parts(of: below).map {
                Part(position: $0.position, factor: $0.factor * Self.half)
            }
        }
        for (positions, factor) in self.replacements(of: position)
        where self.output.isSuperset(of: positions) {
            return positions.positions.map { Part(position: $0, factor: factor) }
        }
        return []
    }

    /// The possible replacements of a loudspeaker, in order of preference, with their factors.
    private func replacements(of position: ChannelLayout) -> [(ChannelLayout, Float)] {
        let half = Self.half
        switch position {
        case .frontLeft, .frontRight: return [(.frontCentre, half)]
        case .frontCentre: return [(.stereo, half)]
        case .frontLeftOfCentre: return [(.frontLeft, 1), (.frontCentre, half)]
        case .frontRightOfCentre: return [(.frontRight, 1), (.frontCentre, half)]
        case .backLeft: return self.behind([.backCentre, .sideLeft], .sideLeft, .frontLeft)
        case .backRight: return self.behind([.backCentre, .sideRight], .sideRight, .frontRight)
        case .sideLeft: return self.behind([.backLeft, .backCentre], .backLeft, .frontLeft)
        case .sideRight: return self.behind([.backRight, .backCentre], .backRight, .frontRight)
        case .backCentre:
            return [
                ([.backLeft, .backRight], half), ([.sideLeft, .sideRight], half), (.stereo, 0.5),
                (.frontCentre, 0.5),
            ]
        case .topCentre: return [(.stereo, 0.5), (.frontCentre, half)]
        default: return []
        }
    }

    /// The possible replacements of a side or back loudspeaker.
    ///
    /// They are its counterpart (a side loudspeaker for a back one, and the reverse), the back
    /// centre, and the front. The counterpart gets the full channel if the input has no channel of
    /// its own for it.
    private func behind(
        _ order: [ChannelLayout],
        _ like: ChannelLayout,
        _ front: ChannelLayout
    ) -> [(ChannelLayout, Float)] {
        order.map { ($0, $0 == like && !self.input.contains(like) ? 1 : Self.half) }
            + [(front, Self.half), (.frontCentre, 0.5)]
    }

    private static let below: [ChannelLayout: ChannelLayout] = [
        .topFrontLeft: .frontLeft, .topFrontCentre: .frontCentre, .topFrontRight: .frontRight,
        .topBackLeft: .backLeft, .topBackCentre: .backCentre, .topBackRight: .backRight,
    ]
}
