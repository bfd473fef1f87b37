// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirPlayback

/// Draws a player: a pure function of a snapshot and the terminal's size.
///
/// From top to bottom: state and reason, title, bar and times, levels and volume, a notice, and the
/// keys. The keys always stay visible: without enough room, the lines above them are left out.
struct Screen {
    /// The largest width of a line: one cell less than the terminal has, so that no line wraps.
    let width: Int
    /// The largest number of lines.
    let height: Int

    /// Draws for a terminal of at least 20 columns and 5 rows.
    init(columns: Int, rows: Int = 1000) {
        self.width = max(20, min(columns, 1000)) - 1
        self.height = max(4, min(rows, 1000) - 1)
    }

    /// The lines for a view, none wider than ``width`` and no more than ``height``.
    func lines(_ view: PlayerView) -> [StyledLine] {
        let state = StateText(view.snapshot, wait: view.stationWait)
        let top = [self.state(state, view), self.title(view.snapshot), self.bar(view.snapshot)]
        let keys = view.showsHelp ? [] : [StyledLine(self.keys(view), .dim)]
        let notice = (view.notice.map { self.wrapped($0.printableLine) } ?? [])
            .map { StyledLine("  \($0)", .waiting) }
        // A reason that does not fit after the state gets its own lines.
        let reason = self.hasRoom(for: state) ? nil : state.reason.map(self.wrapped)
        var middle = (reason ?? []).map { StyledLine("  \($0)", state.look) }
        if view.showsHelp {
            middle += self.help.map { StyledLine("  \($0)", .dim) }
        } else if let next = Self.next(view.snapshot) {
            middle.append(StyledLine("  next: \(next.printableLine)", .dim))
        }
        // With little room, a notice has priority over the levels, and the levels over the other
        // lines.
        var room = self.height - top.count - keys.count
        let shownNotice = notice.prefix(room)
        room -= shownNotice.count
        let levels = room > 0 ? [self.levels(view.snapshot)] : []
        room -= levels.count
        let lines = top + levels + middle.prefix(room) + shownNotice + keys
        return lines.map { $0.cut(to: self.width) }
    }

    /// Whether the state's reason fits on its line.
    private func hasRoom(for state: StateText) -> Bool {
        "\(state.symbol) \(state.line)".cellCount <= self.width
    }

    /// A sentence, wrapped to the width.
    private func wrapped(_ sentence: String) -> [String] {
        sentence.wrapped(toCells: self.width - 2, lineCount: Self.mostWrapped)
    }

    /// The largest number of lines for a sentence.
    private static let mostWrapped = 5

    /// The name of the next item.
    private static func next(_ snapshot: PlayerSnapshot) -> String? {
        guard let index = snapshot.itemIndex, snapshot.itemNames.indices.contains(index + 1) else {
            return nil
        }
        return snapshot.itemNames[index + 1]
    }

    private func state(_ state: StateText, _ view: PlayerView) -> StyledLine {
        var left = StyledLine("\(state.symbol) ", state.look)
        left.append(state.word, state.look)
        if let reason = state.reason, self.hasRoom(for: state) { left.append(" · \(reason)") }
        var right = StyledLine()
        if let sink = view.sink, state.isBeginning {
            right.append("to \(sink.printableLine)", .dim)
        }
        if view.recording != nil { right.append("● recording", .bad) }
        let count = view.snapshot.itemNames.count
        if count > 1, let index = view.snapshot.itemIndex {
            right.append("\(right.width > 0 ? "  " : "")\(index + 1) of \(count)", .dim)
        }
        return right.width == 0 ? left : .sides(left, right, width: self.width)
    }

    private func title(_ snapshot: PlayerSnapshot) -> StyledLine {
        var line = StyledLine("  ")
        let heard = [snapshot.title, snapshot.artist].compactMap { $0 }.map(\.printableLine)
        let name = snapshot.itemIndex.flatMap { index in
            snapshot.itemNames.indices.contains(index) ? snapshot.itemNames[index] : nil
        }
        line.append(
            heard.isEmpty ? name.map(\.printableLine) ?? "" : heard.joined(separator: " – "),
            .bold
        )
        let collection = snapshot.album ?? (heard.isEmpty ? nil : snapshot.isLive ? name : nil)
        if let collection { line.append(" · \(collection.printableLine)", .dim) }
        guard let format = Self.format(of: snapshot) else { return line }
        return .sides(line, StyledLine(format, .dim), width: self.width)
    }

    /// Codec, sample rate and the bit rate if it is known: `flac 44.1 kHz 912 kbit/s`.
    private static func format(of snapshot: PlayerSnapshot) -> String? {
        guard let format = snapshot.format, let pcm = snapshot.pcm else { return nil }
        let hundreds = pcm.sampleRate / 100
        let rate = hundreds % 10 == 0 ? "\(hundreds / 10)" : "\(hundreds / 10).\(hundreds % 10)"
        let bits = format.bitRate.map { " \($0.bitsPerSecond / 1000) kbit/s" } ?? ""
        return "\(format.codec.word) \(rate) kHz\(bits)"
    }

    private func bar(_ snapshot: PlayerSnapshot) -> StyledLine {
        let elapsed = "  \(snapshot.positionText) "
        let end = " \(Self.end(of: snapshot))"
        let room = self.width - elapsed.cellCount - end.cellCount
        var line = StyledLine(elapsed)
        guard room >= 8 else {
            line.append(end)
            return line
        }
        line.append(StyledLine.progress(snapshot, width: room))
        line.append(end)
        return line
    }

    /// The text to the right of the bar: the duration, or the distance from the live end.
    private static func end(of snapshot: PlayerSnapshot) -> String {
        if snapshot.isLive {
            let isPaused = snapshot.state == .paused
            // Because of buffers, playback is always a few seconds behind the live end, even
            // without a rewind. A paused station falls further behind.
            let least = Duration.seconds(isPaused ? 1 : 10)
            if let behind = snapshot.behindLive, behind >= least {
                return "−\(behind.clockText) behind live"
            }
            return !snapshot.isConnected ? "not connected" : isPaused ? "paused" : "live"
        }
        guard let duration = snapshot.duration else { return "?" }
        let isSure = snapshot.durationCertainty != .estimated
        return "\(isSure ? "" : "~")\(duration.clockText)"
    }

    private func levels(_ snapshot: PlayerSnapshot) -> StyledLine {
        let volume = Int((min(1, max(0, snapshot.volume)) * 100).rounded())
        let right =
            snapshot.isMuted ? StyledLine("muted", .waiting) : StyledLine("volume \(volume) %")
        // Without playback there is no level.
        let level = snapshot.state == .playing ? snapshot.level : AudioLevel()
        var left = StyledLine("  ")
        left.append(StyledLine.levels(level, width: self.width - right.width - 4))
        return .sides(left, right, width: self.width)
    }

    private func keys(_ view: PlayerView) -> String {
        let isHeld = view.snapshot.state == .paused
        var keys = [isHeld ? "space resume" : "space pause", "←→ 10 s", "↑↓ volume", "m mute"]
        if view.snapshot.itemNames.count > 1 { keys.append("n p other") }
        if view.snapshot.isLive {
            keys += ["l live", view.recording == nil ? "r record" : "r stop"]
        }
        keys += ["q quit", "? help"]
        // Keys that do not fit are left out, except q and ?.
        for key in ["m mute", "n p other", "↑↓ volume", "←→ 10 s", "l live", "r record", "r stop"]
        where keys.joined(separator: "  ").cellCount > self.width - 2 {
            keys.removeAll { $0 == key }
        }
        return "  \(keys.joined(separator: "  "))"
    }

    /// The help for the keys and the bar, in two columns if there is room.
    private var help: [String] {
        let keys = [
            "space  pause, resume", "← →    10 s back, forward", "↑ ↓    louder, softer",
            "m      mute",
            "n p    next, previous", "l      go to the live end",
            "r      record a station, or stop it", "q      quit",
        ]
        let bar = ["━ played  ═ buffered", "─ in the cache  · not fetched"]
        guard self.width >= 66 else { return keys + bar.map { "bar    \($0)" } }
        let half = keys.count / 2
        let rows = (0..<half).map { keys[$0].fitted(toCells: 28) + keys[$0 + half] }
        return rows + ["bar    \(bar.joined(separator: "  "))"]
    }
}

/// The content of a player's screen at one moment.
struct PlayerView: Sendable {
    var snapshot: PlayerSnapshot
    /// A temporary notice: a warning, or the effect of a key.
    var notice: String?
    /// The file that is being recorded; `nil` without a recording.
    var recording: String?
    /// The output of the sound, shown until playback starts.
    var sink: String?
    /// The time until the next attempt to connect to the station.
    var stationWait: Duration?
    var showsHelp = false

    init(_ snapshot: PlayerSnapshot) { self.snapshot = snapshot }
}
