// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole

/// Draws a running server: a pure function of a state, the terminal's size and the scroll position.
///
/// From top to bottom: the figures, the resources with their pieces, and the last events. The
/// resources that are in use come first, then the last used ones. With little room, the figures are
/// shortened and the events left out, so that resources stay visible.
struct TopScreen {
    /// The largest width of a line: one cell less than the terminal has, so that no line wraps.
    let width: Int
    /// The largest number of lines.
    let height: Int

    /// The cells of a bar: less than half of a line, to leave room for names.
    private var barWidth: Int { min(24, max(0, (self.width - 30) / 2)) }
    /// The cells of a figure's name.
    private static let indent = 9
    /// How many events are shown, if there is room.
    private static let eventCount = 5
    /// The largest number of lines for a figure or an event.
    private static let mostWrapped = 3
    /// With fewer lines below the figures, events are shown only if all resources fit.
    private static let leastWithEvents = 9

    /// How the lines above the last one are divided.
    private struct Layout {
        var figures: [StyledLine]
        /// How many resources fit.
        var resourceCount: Int
        var events: [StyledLine]
    }

    init(columns: Int, rows: Int) {
        self.width = max(20, min(columns, 1000)) - 1
        self.height = max(4, rows - 1)
    }

    /// The lines for a state; `notice` says why the state is out of date.
    ///
    /// `offset` is the number of skipped resources, limited so that the room stays filled. With
    /// `showsHelp`, the help for keys and signs replaces all but the last line.
    func lines(
        _ state: ConsoleState,
        notice: String? = nil,
        from offset: Int = 0,
        showsHelp: Bool = false
    ) -> [StyledLine] {
        if showsHelp {
            let help = Self.help.prefix(self.height - 1).map { StyledLine($0) }
            let end = notice.map { StyledLine($0, .bad) } ?? StyledLine("q quits  ? back", .dim)
            return (help + [end]).map { $0.cut(to: self.width) }
        }
        let layout = self.layout(state)
        let first = max(0, min(offset, state.resources.count - layout.resourceCount))
        let resources = Self.shown(state).dropFirst(first).prefix(layout.resourceCount)
        var lines = layout.figures
        lines += resources.map { self.line(of: $0, in: state) }
        if !layout.events.isEmpty { lines += [StyledLine()] + layout.events }
        lines = Array(lines.prefix(self.height - 1))
        let end = notice.map { StyledLine($0, .bad) }
        lines.append(end ?? self.keys(first..<first + resources.count, of: state.resources.count))
        return lines.map { $0.cut(to: self.width) }
    }

    /// The help for keys and signs, in lines that fit a narrow terminal.
    private static let help = [
        "↑ ↓  k j       one up, one down", "Page Up  b     a page up",
        "Page Down  space  a page down", "Home  g        the first", "End  G         the last",
        "q  Ctrl-C      quit", "bar  █ held  · not held  > fetch", "     | reader  * pinned",
    ]

    /// How many resources fit.
    func pageSize(_ state: ConsoleState) -> Int { self.layout(state).resourceCount }

    private func layout(_ state: ConsoleState) -> Layout {
        let lineCount = self.height - 1
        let count = state.resources.count
        // Resources get at least half of the lines, if there are enough of them.
        let least = min(count, max(1, lineCount / 2))
        var figures = self.figures(state, lineCount: lineCount - least)
        if figures.count + 1 + least <= lineCount { figures.append(StyledLine()) }
        let room = lineCount - figures.count
        let events = state.events.suffix(Self.eventCount).reversed().flatMap(self.lines(of:))
        let spare = min(
            room < Self.leastWithEvents ? room - count - 1 : room / 3,
            room - least - 1
        )
        let eventCount = min(events.count, max(0, spare))
        return Layout(
            figures: figures,
            resourceCount: max(0, room - eventCount - (eventCount > 0 ? 1 : 0)),
            events: Array(events.prefix(eventCount))
        )
    }

    /// The figures in at most `lineCount` lines, each wrapped as far as there is room.
    private func figures(_ state: ConsoleState, lineCount: Int) -> [StyledLine] {
        let figures = ServerFigures(state).lines
        for wrapped in stride(from: Self.mostWrapped, to: 1, by: -1) {
            let lines = figures.flatMap {
                self.lines(of: $0.name, as: $0.text, mostWrapped: wrapped)
            }
            if lines.count <= lineCount { return lines }
        }
        return ServerFigures(state).briefLines.prefix(lineCount).flatMap { name, parts in
            self.lines(of: name, as: self.joined(parts), mostWrapped: 1)
        }
    }

    /// The parts that fit after a figure's name; no part is cut.
    private func joined(_ parts: [String]) -> String {
        parts.dropFirst().reduce(parts.first ?? "") { text, part in
            let longer = "\(text), \(part)"
            return longer.cellCount <= self.width - Self.indent ? longer : text
        }
    }

    /// The last line: the keys and, if not all resources fit, the numbers of the visible ones.
    private func keys(_ shown: Range<Int>, of count: Int) -> StyledLine {
        guard shown.count < count else { return StyledLine("q quits  ? keys", .dim) }
        return .sides(
            StyledLine("q quits  ? keys  ↑↓", .dim),
            StyledLine(
                shown.isEmpty ? "" : "\(shown.lowerBound + 1) to \(shown.upperBound) of \(count)",
                .dim
            ),
            width: self.width
        )
    }

    /// The resources that are read or fetched, then the others by last use.
    private static func shown(_ state: ConsoleState) -> [ConsoleState.Resource] {
        let busy = Set(state.readers.compactMap(\.resource) + state.fetches.map(\.resource))
        return state.resources.filter { busy.contains($0.id) }
            + state.resources.filter { !busy.contains($0.id) }
    }

    private func line(of resource: ConsoleState.Resource, in state: ConsoleState) -> StyledLine {
        let readers = state.readers.filter { $0.resource == resource.id }
        let fetches = state.fetches.filter { $0.resource == resource.id }
        var line = StyledLine(self.bar(resource, readers, fetches), readers.isEmpty ? .dim : .good)
        let share =
            resource.length.map { "\(Self.percent(resource.held, of: $0)) %" } ?? "?"
        line.append(" \(share.padding(to: 5, atStart: true)) ")
        line.append(
            ByteSize.format(resource.length ?? resource.held).padding(to: 9, atStart: true)
        )
        line.append(" \(resource.pinned ? "*" : " ") ", .waiting)
        line.append(
            (resource.name ?? resource.source).printableLine,
            readers.isEmpty ? .plain : .bold
        )
        let doing = [
            readers.isEmpty ? nil : readers.count == 1 ? "1 reader" : "\(readers.count) readers",
            fetches.first.map {
                "\($0.state), for \($0.reason == "reader" ? "a reader" : "the cache")"
            },
        ].compactMap(\.self)
        if !doing.isEmpty { line.append("  \(doing.joined(separator: ", "))", .dim) }
        return line
    }

    /// The held bytes, darker for more, with `>` at a fetch and `|` at a reader.
    private func bar(
        _ resource: ConsoleState.Resource,
        _ readers: [ConsoleState.Reader],
        _ fetches: [ConsoleState.Fetch]
    ) -> String {
        guard let length = resource.length, length > 0, self.barWidth > 0 else {
            return String(repeating: "?", count: self.barWidth)
        }
        // The server's numbers may be wrong, so the arithmetic must not overflow.
        func cell(_ offset: Int64) -> Int {
            let share = Double(offset) / Double(length) * Double(self.barWidth)
            return Int(min(Double(self.barWidth - 1), max(0, share)))
        }
        let width = Double(length) / Double(self.barWidth)
        var cells: [Character] = (0..<self.barWidth).map { index in
            let (from, to) = (Double(index) * width, Double(index + 1) * width)
            let held = (resource.pieces?.held ?? []).reduce(into: 0.0) { sum, run in
                guard run.count == 2 else { return }
                sum += max(0, min(Double(run[1]), to) - max(Double(run[0]), from))
            }
            // Rounding may make the sum of parts less than the whole.
            let shade = (held / width + 1e-9) * Double(Self.shades.count - 1)
            return Self.shades[Int(min(Double(Self.shades.count - 1), max(0, shade)))]
        }
        for fetch in fetches { if let at = fetch.at { cells[cell(at)] = ">" } }
        for reader in readers { cells[cell(reader.at)] = "|" }
        return String(cells)
    }

    private static let shades: [Character] = ["·", "░", "▒", "▓", "█"]

    private static func percent(_ count: Int64, of length: Int64) -> Int {
        length > 0 ? Int(min(100, max(0, Double(count) / Double(length) * 100))) : 100
    }

    /// A figure after its name.
    private func lines(of name: String, as text: String, mostWrapped: Int) -> [StyledLine] {
        text.wrapped(toCells: self.width - Self.indent, lineCount: mostWrapped).enumerated()
            .map { index, text in
                var line = StyledLine((index == 0 ? name : "").padding(to: Self.indent), .dim)
                line.append(text, name == "trouble" ? .bad : .plain)
                return line
            }
    }

    private func lines(of event: ConsoleEvent) -> [StyledLine] {
        let subject = event.subject.map { "\($0.printableLine): " } ?? ""
        return "\(subject)\(event.text.printableLine)"
            .wrapped(toCells: self.width - 2, lineCount: Self.mostWrapped).enumerated()
            .map { index, text in
                StyledLine("\(index == 0 ? "" : "  ")\(text)", event.isTrouble ? .bad : .dim)
            }
    }
}

extension String {
    /// The text, padded with blanks to a number of cells.
    func padding(to width: Int, atStart: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - self.cellCount))
        return atStart ? blanks + self : self + blanks
    }
}
