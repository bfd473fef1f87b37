// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole

/// Decides what `weir top` shows: the last moment that was heard of, the terminal's size, how far the list is scrolled, and
/// whether the keys are explained.
struct TopView {
    private var moment: ConsoleState?
    private var notice: String?
    private var size: (columns: Int, rows: Int)
    /// How many resources are scrolled past.
    private(set) var offset = 0
    private var showsHelp = false

    init(columns: Int, rows: Int) { self.size = (columns, rows) }

    /// The server told of a moment, or `notice` says what keeps it from being now.
    mutating func changed(to moment: ConsoleState, notice: String?) {
        (self.moment, self.notice) = (moment, notice)
        self.scroll(by: 0)
    }

    /// The terminal has another size.
    mutating func resized(columns: Int, rows: Int) {
        self.size = (columns, rows)
        self.scroll(by: 0)
    }

    /// A key was pressed.
    ///
    /// - Returns: whether it ends the program.
    mutating func pressed(_ key: TerminalKey) -> Bool {
        switch key {
        case .character("q"): return true
        case .character("?"):
            self.showsHelp.toggle()
            return false
        default: break
        }
        // A key that does something else shows it.
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

    /// The lines for the terminal; none before the first moment.
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

    /// Scrolls, no further than to either end.
    private mutating func scroll(by distance: Int) {
        let last = max(0, self.resourceCount - self.pageSize)
        self.offset = min(last, max(0, self.offset + distance))
    }
}
