// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirConsole

/// Shows a running server in the last lines of a terminal, drawn over in place.
final class TopDisplay: Sendable {
    private struct State {
        var canvas = LineCanvas()
        var drawn: [StyledLine] = []
        var size = (columns: 0, rows: 0)
    }

    private let mode = TerminalMode()
    private let hasColours: Bool
    private let state = Mutex(State())

    /// Takes the terminal; ``end()`` gives it back.
    init(hasColours: Bool) {
        self.hasColours = hasColours
        self.mode.enter()
    }

    /// Draws a moment; `notice` says what keeps it from being now.
    func draw(_ moment: ConsoleState, _ notice: String? = nil) {
        self.state.withLock { state in
            let size = TerminalMode.size
            let lines = TopScreen(columns: size.columns, rows: size.rows).lines(
                moment,
                notice: notice
            )
            guard lines != state.drawn || size != state.size else { return }
            (state.drawn, state.size) = (lines, size)
            let text = lines.map { self.hasColours ? $0.coloured : $0.plain }
            Output.draw(
                state.canvas.draw(text, widths: lines.map(\.width), columns: size.columns)
            )
        }
    }

    /// Gives the terminal back; the last state stays.
    func end() {
        self.state.withLock { Output.draw($0.canvas.leave()) }
        self.mode.leave()
    }
}
