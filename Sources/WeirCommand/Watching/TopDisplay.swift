// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirConsole

/// Shows a running server in the last lines of a terminal, drawn over in place.
final class TopDisplay: Sendable {
    private struct State {
        var view: TopView
        var canvas = LineCanvas()
        var drawn: [StyledLine] = []
        var columns = 0
    }

    private let mode = TerminalMode()
    private let hasColours: Bool
    private let state: Mutex<State>

    /// Takes the terminal; ``end()`` gives it back.
    init(hasColours: Bool) {
        self.hasColours = hasColours
        let size = TerminalMode.size
        self.state = Mutex(State(view: TopView(columns: size.columns, rows: size.rows)))
        self.mode.enter()
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

    /// Gives the terminal back; the last state stays.
    func end() {
        self.state.withLock { Output.draw($0.canvas.leave()) }
        self.mode.leave()
    }

    /// Changes the view, and draws where it looks other than before.
    private func change<Result: Sendable>(_ body: (inout TopView) -> Result) -> Result {
        self.state.withLock { state in
            let size = TerminalMode.size
            state.view.resized(columns: size.columns, rows: size.rows)
            let result = body(&state.view)
            let lines = state.view.lines
            if lines != state.drawn || size.columns != state.columns {
                (state.drawn, state.columns) = (lines, size.columns)
                let text = lines.map { self.hasColours ? $0.coloured : $0.plain }
                Output.draw(
                    state.canvas.draw(text, widths: lines.map(\.width), columns: size.columns)
                )
            }
            return result
        }
    }
}
