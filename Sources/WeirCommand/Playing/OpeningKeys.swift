// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides what a key does while `weir play` opens what it plays.
struct OpeningKeys {
    enum Effect: Hashable, Sendable {
        case quit
        /// Tell the user.
        case note(String)
    }

    /// What the user was told: a key that is held down is told once.
    private var told: Set<String> = []

    /// A key was pressed.
    ///
    /// - Returns: `nil` for what the user was told before.
    mutating func pressed(_ key: TerminalKey) -> Effect? {
        if key == .character("q") { return .quit }
        let name =
            switch key {
            case .character(" "): "The space bar"
            case .character(let character): "The key \(character)"
            default: "That key"
            }
        let line = "\(name) does nothing yet: no answer has come. The key q ends Weir."
        return self.told.insert(line).inserted ? .note(line) : nil
    }
}
