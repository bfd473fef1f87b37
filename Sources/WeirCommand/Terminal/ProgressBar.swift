// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// A bar of the played, the buffered and the cached sound, each with its own glyph.
extension StyledLine {
    /// Cached sound of a file before the position; for a station, kept sound before the position.
    private static let played: Character = "━"
    /// The current position.
    private static let position: Character = "●"
    /// Buffered sound after the position.
    private static let buffered: Character = "═"
    /// Cached sound; for a station, kept sound after the position.
    private static let held: Character = "─"
    /// Sound that is not in the cache.
    private static let missing: Character = "·"

    /// The bar of a snapshot, `width` cells wide; empty for a width of 0.
    static func progress(_ snapshot: PlayerSnapshot, width: Int) -> StyledLine {
        guard width > 0 else { return StyledLine() }
        // A station that has sent nothing has no sound to show.
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
        // A seek may have skipped sound before the position, which is then not in the cache.
        let isShown = snapshot.isLive || snapshot.heldFractions.isEmpty
        for cell in 0..<index where isShown || cells[cell] != Self.missing {
            cells[cell] = Self.played
        }
        cells[index] = Self.position
        var line = StyledLine()
        line.append(String(cells[..<index]), .good)
        line.append(String(cells[index]), .bold)
        line.append(String(cells[(index + 1)...]), .dim)
        return line
    }

    /// The position and the end of the buffered sound, as fractions of the bar.
    private static func sound(of snapshot: PlayerSnapshot) -> (position: Double, buffered: Double) {
        if snapshot.isLive {
            // The bar shows the kept sound, and its right end is the live end.
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
        // A partly filled cell stays empty, except at the end.
        let last = Int(Self.bounded(end) * width)
        guard first < last else { return }
        for index in first..<last { cells[index] = cell }
    }

    private static func bounded(_ fraction: Double) -> Double {
        fraction.isFinite ? min(1, max(0, fraction)) : 0
    }
}
