// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirConsole

/// Shows a running server on the other screen of a terminal (DECSET 1049), drawn over in place.
///
/// The usual screen would keep lines of a former size: a terminal that grows takes back what had scrolled off its top.
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

    /// Takes the terminal; ``end()`` gives it back.
    init(hasColours: Bool) {
        self.hasColours = hasColours
        let size = TerminalMode.size
        self.state = Mutex(
            State(view: TopView(columns: size.columns, rows: size.rows), size: size)
        )
        self.mode.enter()
        Output.draw("\u{1B}[?1049h\u{1B}[H\u{1B}[2J")
    }

    /// Draws a moment; `notice` says what keeps it from being now.
    func draw(_ moment: ConsoleState, _ notice: String? = nil) {
        self.change { $0.changed(to: moment, notice: notice) }
    }

    /// Draws the same in another size of the terminal.
    func resized() { self.change { _ in } }

    /// A key was pressed.
    ///
    /// - Returns: whether it ends the program.
    func pressed(_ key: TerminalKey) -> Bool { self.change { $0.pressed(key) } }

    /// Gives the terminal back; the last state stays on its usual screen.
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

    /// Changes the view, and draws where it looks other than before.
    private func change<Result: Sendable>(_ body: (inout TopView) -> Result) -> Result {
        self.state.withLock { state in
            let size = TerminalMode.size
            state.view.resized(columns: size.columns, rows: size.rows)
            let result = body(&state.view)
            let lines = state.view.lines
            let isResized = size != state.size
            guard !state.hasEnded, lines != state.drawn || isResized else { return result }
            (state.drawn, state.size) = (lines, size)
            // Whatever the terminal made of the lines of another size goes.
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
