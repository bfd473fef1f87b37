// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// A bar of the sound that was played, is at hand, and lies in the cache, each with a glyph of its own.
extension StyledLine {
    /// Sound of a file before the position that is in the cache; of a station, kept sound before the position.
    private static let played: Character = "━"
    /// Where the sound is.
    private static let position: Character = "●"
    /// Sound at hand behind the position.
    private static let buffered: Character = "═"
    /// Sound in the cache; of a station, kept sound behind the position.
    private static let held: Character = "─"
    /// Sound that is not there yet.
    private static let missing: Character = "·"

    /// The bar of a moment, in so many cells; nothing for none.
    static func progress(_ snapshot: PlayerSnapshot, width: Int) -> StyledLine {
        guard width > 0 else { return StyledLine() }
        // Of a station that has not sent anything there is nothing.
        guard snapshot.isConnected || snapshot.rewindable ?? .zero > .zero || !snapshot.isLive
        else {
            return StyledLine(String(repeating: Self.missing, count: width), .dim)
        }
        let sound = Self.sound(of: snapshot)
        var cells = [Character](repeating: Self.missing, count: width)
        for range in snapshot.isLive ? [0...1] : snapshot.heldFractions {
            Self.fill(&cells, from: range.lowerBound, to: range.upperBound, with: Self.held)
        }
        Self.fill(&cells, from: sound.position, to: sound.buffered, with: Self.buffered)
        let index = min(width - 1, Int(Self.bounded(sound.position) * Double(width)))
        // What was passed over by a seek is not here, though it lies before the position.
        let isKept = snapshot.isLive || snapshot.heldFractions.isEmpty
        for cell in 0..<index where isKept || cells[cell] != Self.missing {
            cells[cell] = Self.played
        }
        cells[index] = Self.position
        var line = StyledLine()
        line.append(String(cells[..<index]), .good)
        line.append(String(cells[index]), .bold)
        line.append(String(cells[(index + 1)...]), .dim)
        return line
    }

    /// The position and the end of the sound at hand, as fractions of the bar.
    private static func sound(of snapshot: PlayerSnapshot) -> (position: Double, buffered: Double) {
        if snapshot.isLive {
            // The bar is the kept sound; its right end is now.
            guard let kept = snapshot.rewindable, kept > .zero else { return (1, 1) }
            let behind = snapshot.behindLive ?? .zero
            return (1 - behind / kept, 1 - (behind - snapshot.buffered) / kept)
        }
        guard let duration = snapshot.duration, duration > .zero else { return (0, 0) }
        return (snapshot.position / duration, (snapshot.position + snapshot.buffered) / duration)
    }

    private static func fill(
        _ cells: inout [Character],
        from start: Double,
        to end: Double,
        with cell: Character
    ) {
        let width = Double(cells.count)
        let first = Int(Self.bounded(start) * width)
        // A part of a cell is not shown as a whole one, unless it is the end.
        let last = Int(Self.bounded(end) * width)
        guard first < last else { return }
        for index in first..<last { cells[index] = cell }
    }

    private static func bounded(_ fraction: Double) -> Double {
        fraction.isFinite ? min(1, max(0, fraction)) : 0
    }
}
