// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// Explains why a key has no effect at the moment.
enum IdleKey {
    /// The reason as a sentence; `nil` for a key that has an effect.
    static func reason(_ key: TerminalKey, _ snapshot: PlayerSnapshot) -> String? {
        switch key {
        case .character(" "), .character("p"), .character("r"), .character("m"), .character("?"),
            .character("h"), .character("q"):
            nil
        case .left: self.backwards(snapshot)
        case .right: self.forwards(snapshot)
        case .up, .character("0"):
            snapshot.volume >= 1 && !snapshot.isMuted
                ? "The volume is 100 % already." : nil
        case .down, .character("9"):
            snapshot.volume <= 0 && !snapshot.isMuted ? "The volume is 0 % already." : nil
        case .character("n"): self.next(snapshot)
        case .character("l"): self.live(snapshot)
        case .character(let character):
            "The key \(character) does nothing; ? shows the keys."
        case .pageUp, .pageDown, .home, .end, .other:
            "That key does nothing; ? shows the keys."
        }
    }

    private static func backwards(_ snapshot: PlayerSnapshot) -> String? {
        // While Weir connects to a station, the length of its kept sound is unknown.
        guard snapshot.isLive, let kept = snapshot.rewindable, let behind = snapshot.behindLive,
            kept - behind < .seconds(1)
        else { return nil }
        return "Weir keeps no earlier sound of this station, only the sound since you started it."
    }

    private static func forwards(_ snapshot: PlayerSnapshot) -> String? {
        guard snapshot.isLive, let behind = snapshot.behindLive, behind < .seconds(1) else {
            return nil
        }
        return "This is live: the station has sent nothing newer."
    }

    private static func next(_ snapshot: PlayerSnapshot) -> String? {
        let count = snapshot.itemNames.count
        guard let index = snapshot.itemIndex, count > 0, index + 1 >= count else { return nil }
        return count > 1
            ? "This is the last of \(count) items; p plays the previous one."
            : "There is no next item."
    }

    private static func live(_ snapshot: PlayerSnapshot) -> String? {
        guard snapshot.isLive else {
            return "Only a radio station has a live end, and this is a file."
        }
        return snapshot.behindLive == nil
            ? "The station does not play yet; it starts at its live end." : nil
    }
}
