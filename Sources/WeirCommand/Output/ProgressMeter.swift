// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A bar on a terminal, plain lines elsewhere: done, total, speed, time left.
struct ProgressMeter {
    private let label: String
    private let total: Int64?
    private let isTerminal: Bool
    /// The bytes that were held at the start, which do not count for the speed.
    private let heldBefore: RangeSet<Int64>
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private var lastTenth = 0
    private var lastEvent = 0

    /// A meter that starts at `start`; `heldBefore` are the bytes that were held then.
    init(
        label: String,
        total: Int64?,
        heldBefore: RangeSet<Int64> = RangeSet(),
        isTerminal: Bool = Output.isTerminal,
        start: ContinuousClock.Instant = .now
    ) {
        self.label = label
        self.total = total
        self.heldBefore = heldBefore
        self.isTerminal = isTerminal
        self.start = start
        self.last = start
    }

    /// Shows the progress, at most ten times a second on a terminal, and after every tenth of the
    /// total elsewhere.
    mutating func show(_ done: Int64) {
        let now = ContinuousClock.now
        if self.isTerminal {
            guard now - self.last >= .milliseconds(100) else { return }
            self.last = now
            Output.redraw(self.line(done, at: now, width: TerminalMode.columns - 1))
        } else if let total, total > 0 {
            let tenth = done.percentage(of: total) / 10
            guard tenth > self.lastTenth, tenth < 10 else { return }
            self.lastTenth = tenth
            Output.note(self.line(done, at: now))
        }
    }

    /// Whether another percent is done since the last `true`, or another second has passed if the
    /// size is unknown.
    mutating func isDue(_ done: Int64) -> Bool {
        let seconds = Int((ContinuousClock.now - self.start).components.seconds)
        let step = self.total.map { $0 > 0 ? done.percentage(of: $0) : 100 } ?? seconds
        guard step > self.lastEvent else { return false }
        self.lastEvent = step
        return true
    }

    /// Removes the bar from the terminal, for an end without ``finish(_:)``.
    func clear() {
        if self.isTerminal { Output.clearRedrawn() }
    }

    /// Prints the result: file, size, time and speed.
    func finish(_ done: Int64) {
        Output.note(self.summary(done, at: .now))
    }

    /// The last line; pure, since the time is an argument.
    func summary(_ done: Int64, at now: ContinuousClock.Instant) -> String {
        let seconds = max(0.001, (now - self.start) / .seconds(1))
        let held = self.held(in: done)
        let speed = ByteSize.format(Int64(nearest: Double(done - held) / seconds))
        let time =
            seconds < 10 ? "\((seconds * 10).rounded() / 10) s" : "\(Int64(nearest: seconds)) s"
        let place = self.label == "-" ? "to standard output" : self.label
        let saved = "saved \(place): \(ByteSize.format(done)) in \(time)"
        if held == 0 { return "\(saved), \(speed)/s" }
        if held == done { return "\(saved), all from the cache" }
        return "\(saved), \(ByteSize.format(held)) from the cache, \(speed)/s"
    }

    /// How many of the first `done` bytes were held at the start.
    private func held(in done: Int64) -> Int64 {
        done > 0 ? self.heldBefore.intersection(RangeSet(0..<done)).byteCount : 0
    }

    /// The line in at most `width` cells: the name is shortened first, then the line is cut.
    func line(_ done: Int64, at now: ContinuousClock.Instant, width: Int) -> String {
        let line = self.line(done, at: now)
        let excess = line.cellCount - width
        guard excess > 0 else { return line }
        let name = self.label.cut(toCells: max(8, self.label.cellCount - excess))
        return "\(name)\(line.dropFirst(self.label.count))".cut(toCells: width)
    }

    /// The line at a time; pure, since the time is an argument.
    func line(_ done: Int64, at now: ContinuousClock.Instant) -> String {
        let seconds = max(0.001, (now - self.start) / .seconds(1))
        let held = self.held(in: done)
        let speed = (Double(done) - Double(held)) / seconds
        var parts = ["\(self.label): \(ByteSize.format(done))"]
        if let total {
            let share = done.percentage(of: total)
            parts[0] += " of \(ByteSize.format(total))"
            if self.isTerminal {
                let filled = share / 5
                parts.append(
                    "[\(String(repeating: "█", count: filled))\(String(repeating: "·", count: 20 - filled))]"
                )
            }
            parts.append("\(share) %")
        }
        parts.append("\(ByteSize.format(Int64(nearest: speed)))/s")
        if let total, done < total, speed > 0 {
            let heldLater = self.held(in: total) - held
            let left = (Double(total) - Double(done) - Double(heldLater)) / speed
            parts.append("\(Int64(nearest: left.rounded(.up))) s left")
        }
        return parts.joined(separator: "  ")
    }
}
