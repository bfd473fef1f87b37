// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirPlayback

/// Notes the positions of long media: every half minute, when another item starts, and at the end.
struct PositionKeeper {
    private typealias Mark = (digest: String, position: Duration, duration: Duration?)

    /// The seconds between two writes while an item plays.
    private static let secondsBetween = 30

    private let digests: [String?]
    private let file: PositionsFile
    private var last: Mark?
    private var seconds = 0

    /// A keeper for the items with these digests; items without a digest are not noted.
    init(_ digests: [String?], file: PositionsFile) {
        self.digests = digests
        self.file = file
    }

    /// Notes the player's position; to be called every second, and at the end.
    mutating func note(_ snapshot: PlayerSnapshot, isLast: Bool = false) {
        let mark = self.mark(of: snapshot)
        if let last, last.digest != mark?.digest { self.write(last) }
        self.last = mark
        self.seconds += 1
        guard let mark, isLast || self.seconds % Self.secondsBetween == 0 else { return }
        self.write(mark)
    }

    private func mark(of snapshot: PlayerSnapshot) -> Mark? {
        guard let index = snapshot.itemIndex, self.digests.indices.contains(index),
            let digest = self.digests[index], !snapshot.isLive
        else { return nil }
        let isOver = snapshot.state == .stopped && snapshot.stopReason == .endOfStream
        return (
            digest: digest,
            position: isOver ? snapshot.duration ?? snapshot.position : snapshot.position,
            duration: snapshot.duration
        )
    }

    private func write(_ mark: Mark) {
        self.file.change { positions in
            positions.note(
                mark.digest,
                at: mark.position,
                of: mark.duration,
                now: Int64(Date().timeIntervalSince1970)
            )
        }
    }
}
