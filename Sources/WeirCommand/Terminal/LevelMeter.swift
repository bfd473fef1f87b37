// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirPlayback

/// The level of each channel as a bar in decibels.
extension StyledLine {
    /// The level at the left end of a bar, in decibels relative to full scale.
    private static let floor: Double = -48
    /// The largest number of channels shown.
    private static let mostChannels = 8

    /// The meters of all channels.
    ///
    /// - Parameters:
    ///   - level: the level of the current sound; without channels, two silent channels are shown.
    ///   - width: the number of cells for all meters.
    /// - Returns: a line of at most that width; empty if there is no room for the meters.
    static func levels(_ level: AudioLevel, width: Int) -> StyledLine {
        let count = min(level.powers.count, level.peaks.count)
        let channels = count == 0 ? 2 : min(count, Self.mostChannels)
        let names = Self.names(channels)
        let room = (width - (channels - 1) * 2) / channels
        let bar = min(24, room - (names.map(\.count).max() ?? 0) - 1)
        guard bar >= 3 else { return StyledLine() }
        var line = StyledLine()
        for channel in 0..<channels {
            if channel > 0 { line.append("  ") }
            line.append("\(names[channel]) ", .dim)
            let power = count == 0 ? 0 : level.powers[channel]
            let peak = count == 0 ? 0 : level.peaks[channel]
            line.append(Self.meter(power: power, peak: peak, width: bar))
        }
        return line
    }

    private static func meter(power: Float, peak: Float, width: Int) -> StyledLine {
        let filled = Self.meterCells(power, width: width)
        let highest = Self.meterCells(peak, width: width)
        let cells = (0..<width).map { index in
            index < filled ? "■" : index == highest - 1 ? "|" : "·" as Character
        }
        var line = StyledLine()
        line.append(String(cells[..<filled]), .good)
        let isCutOff = peak.isFinite && peak > 1
        line.append(String(cells[filled...]), isCutOff ? .bad : .dim)
        return line
    }

    /// How many cells a magnitude fills.
    private static func meterCells(_ magnitude: Float, width: Int) -> Int {
        guard magnitude > 0, magnitude.isFinite else { return 0 }
        let decibels = 20 * log10(Double(magnitude))
        let share = 1 - decibels / Self.floor
        return min(width, max(0, Int((share * Double(width)).rounded())))
    }

    private static func names(_ channels: Int) -> [String] {
        switch channels {
        case 1: [""]
        case 2: ["L", "R"]
        default: (1...channels).map { "\($0)" }
        }
    }
}
