// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A line of a terminal: pieces of text, each with a look.
struct StyledLine: Hashable, Sendable {
    /// The look of a piece on a terminal with colours.
    enum Look: Hashable, Sendable {
        case plain
        case bold
        case dim
        case good
        case waiting
        case bad

        /// The parameters of SGR (ECMA-48 §8.3.117); `nil` for the plain look.
        fileprivate var parameters: String? {
            switch self {
            case .plain: nil
            case .bold: "1"
            case .dim: "2"
            case .good: "32"
            case .waiting: "33"
            case .bad: "31"
            }
        }
    }

    private struct Piece: Hashable, Sendable {
        var text: String
        var look: Look
    }

    private var pieces: [Piece] = []
    /// The number of cells that the line takes.
    private(set) var width = 0

    init(_ text: String = "", _ look: Look = .plain) {
        self.append(text, look)
    }

    mutating func append(_ text: String, _ look: Look = .plain) {
        guard !text.isEmpty else { return }
        self.pieces.append(Piece(text: text, look: look))
        self.width += text.cellCount
    }

    mutating func append(_ line: StyledLine) {
        self.pieces += line.pieces
        self.width += line.width
    }

    /// The text without colours.
    var plain: String { self.pieces.map(\.text).joined() }

    /// The text with escape sequences; each piece resets its look at its end.
    var coloured: String {
        self.pieces.map { piece in
            piece.look.parameters.map { "\u{1B}[\($0)m\(piece.text)\u{1B}[0m" } ?? piece.text
        }.joined()
    }

    /// The line cut to a number of cells; an ellipsis marks the cut.
    func cut(to width: Int) -> StyledLine {
        guard self.width > width else { return self }
        var line = StyledLine()
        for piece in self.pieces {
            let left = width - line.width
            guard piece.text.cellCount >= left else {
                line.append(piece.text, piece.look)
                continue
            }
            // The ellipsis needs at least one cell.
            line.append("\(piece.text)…".cut(toCells: left), piece.look)
            break
        }
        return line
    }

    /// Two texts in a line, the second at the right end.
    ///
    /// If there is no room for both, the second text is left out.
    static func sides(_ left: StyledLine, _ right: StyledLine, width: Int) -> StyledLine {
        let room = width - right.width - 2
        guard room >= min(left.width, width / 2) else { return left.cut(to: width) }
        var line = left.cut(to: room)
        line.append(String(repeating: " ", count: max(0, width - right.width - line.width)))
        line.append(right)
        return line
    }
}
