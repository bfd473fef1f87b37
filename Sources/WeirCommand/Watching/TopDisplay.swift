// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirConsole

/// Shows a running server on the alternate screen of a terminal (DECSET 1049), redrawn in place.
///
/// The normal screen would keep old lines: when a terminal grows, it shows lines again that had scrolled off.
final class TopDisplay: Sendable {
    private struct State {
        var view: TopView
        var canvas = LineCanvas()
        var drawn: [StyledLine] = []
        var size: (columns: Int, rows: Int)
        var hasEnded = false
    }

    private let mode = TerminalMode()
    private let hasColours: Bool
    private let state: Mutex<State>

    /// Takes over the terminal; ``end()`` restores it.
    init(hasColours: Bool) {
        self.hasColours = hasColours
        let size = TerminalMode.size
        self.state = Mutex(
            State(view: TopView(columns: size.columns, rows: size.rows), size: size)
        )
        self.mode.enter()
        Output.draw("\u{1B}[?1049h\u{1B}[H\u{1B}[2J")
    }

    /// Draws a state; `notice` says why the state is out of date.
    func draw(_ moment: ConsoleState, _ notice: String? = nil) {
        self.change { $0.changed(to: moment, notice: notice) }
    }

    /// Draws the same state for a new size of the terminal.
    func resized() { self.change { _ in } }

    /// Handles a key.
    ///
    /// - Returns: whether the key ends the program.
    func pressed(_ key: TerminalKey) -> Bool { self.change { $0.pressed(key) } }

    /// Restores the terminal; the last state stays on the normal screen.
    func end() {
        self.state.withLock { state in
            guard !state.hasEnded else { return }
            state.hasEnded = true
            var canvas = LineCanvas()
            let last = canvas.draw(
                self.text(of: state.drawn),
                widths: state.drawn.map(\.width),
                columns: state.size.columns
            )
            Output.draw("\u{1B}[?1049l\(state.drawn.isEmpty ? "" : last)\(canvas.leave())")
        }
        self.mode.leave()
    }

    private func text(of lines: [StyledLine]) -> [String] {
        lines.map { self.hasColours ? $0.coloured : $0.plain }
    }

    /// Changes the view, and draws it if its lines or the terminal's size differ.
    private func change<Result: Sendable>(_ body: (inout TopView) -> Result) -> Result {
        self.state.withLock { state in
            let size = TerminalMode.size
            state.view.resized(columns: size.columns, rows: size.rows)
            let result = body(&state.view)
            let lines = state.view.lines
            let isResized = size != state.size
            guard !state.hasEnded, lines != state.drawn || isResized else { return result }
            (state.drawn, state.size) = (lines, size)
            // After a resize, clear the screen and draw from its top.
            if isResized { state.canvas = LineCanvas() }
            let text = state.canvas.draw(
                self.text(of: lines),
                widths: lines.map(\.width),
                columns: size.columns
            )
            Output.draw(isResized ? "\u{1B}[H\u{1B}[2J\(text)" : text)
            return result
        }
    }
}
