// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole

/// The view of `weir top`: the last state, the terminal's size, the scroll position and the help.
struct TopView {
    private var moment: ConsoleState?
    private var notice: String?
    private var size: (columns: Int, rows: Int)
    /// The number of resources above the visible ones.
    private(set) var offset = 0
    private var showsHelp = false

    init(columns: Int, rows: Int) { self.size = (columns, rows) }

    /// Takes a new state; `notice` says why the state is out of date.
    mutating func changed(to moment: ConsoleState, notice: String?) {
        (self.moment, self.notice) = (moment, notice)
        self.scroll(by: 0)
    }

    /// Takes a new size of the terminal.
    mutating func resized(columns: Int, rows: Int) {
        self.size = (columns, rows)
        self.scroll(by: 0)
    }

    /// Handles a key.
    ///
    /// - Returns: whether the key ends the program.
    mutating func pressed(_ key: TerminalKey) -> Bool {
        switch key {
        case .character("q"): return true
        case .character("?"):
            self.showsHelp.toggle()
            return false
        default: break
        }
        // A key with another effect hides the help, so that the effect is visible.
        self.showsHelp = false
        switch key {
        case .up, .character("k"): self.scroll(by: -1)
        case .down, .character("j"): self.scroll(by: 1)
        case .pageUp, .character("b"): self.scroll(by: -max(1, self.pageSize - 1))
        case .pageDown, .character(" "): self.scroll(by: max(1, self.pageSize - 1))
        case .home, .character("g"): self.offset = 0
        case .end, .character("G"): self.scroll(by: self.resourceCount)
        default: break
        }
        return false
    }

    /// The lines for the terminal; none before the first state.
    var lines: [StyledLine] {
        self.moment.map {
            self.screen.lines(
                $0,
                notice: self.notice,
                from: self.offset,
                showsHelp: self.showsHelp
            )
        } ?? []
    }

    private var screen: TopScreen { TopScreen(columns: self.size.columns, rows: self.size.rows) }

    private var resourceCount: Int { self.moment?.resources.count ?? 0 }

    private var pageSize: Int { self.moment.map(self.screen.pageSize) ?? 0 }

    /// Scrolls, but not beyond the ends.
    private mutating func scroll(by distance: Int) {
        let last = max(0, self.resourceCount - self.pageSize)
        self.offset = min(last, max(0, self.offset + distance))
    }
}
