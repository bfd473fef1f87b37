// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a key means to the player.
enum PlayerKey: Hashable, Sendable {
    case pauseOrResume
    /// Seconds forwards; backwards if negative.
    case seek(Int)
    /// Hundredths louder; softer if negative.
    case louder(Int)
    case next
    case previous
    case live
    case record
    case mute
    case help
    case quit

    /// The meaning of a key; `nil` if it has none.
    init?(_ key: TerminalKey) {
        switch key {
        case .left: self = .seek(-10)
        case .right: self = .seek(10)
        case .up, .character("0"): self = .louder(5)
        case .down, .character("9"): self = .louder(-5)
        case .character(" "): self = .pauseOrResume
        case .character("n"): self = .next
        case .character("p"): self = .previous
        case .character("l"): self = .live
        case .character("r"): self = .record
        case .character("m"): self = .mute
        case .character("?"), .character("h"): self = .help
        case .character("q"): self = .quit
        default: return nil
        }
    }
}
