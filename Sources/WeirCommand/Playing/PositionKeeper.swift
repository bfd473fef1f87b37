// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirPlayback

/// Notes where long media are, now and then and when another is played.
struct PositionKeeper {
    private struct Place {
        var digest: String
        var position: Duration
        var duration: Duration?
    }

    /// How often it is written down while something plays, in looks.
    private static let looksBetween = 30

    private let digests: [String?]
    private let file: PositionsFile
    private var last: Place?
    private var looks = 0

    /// A keeper of a queue's positions.
    init(_ things: [PlayEntry], file: PositionsFile) {
        self.digests = things.map(\.digest)
        self.file = file
    }

    /// Looks at the player; to be called every second, and at the end.
    ///
    /// - Parameters:
    ///   - snapshot: what the player does.
    ///   - isLast: whether it is the end.
    mutating func look(_ snapshot: PlayerSnapshot, isLast: Bool = false) {
        let place = self.place(of: snapshot)
        if let last, last.digest != place?.digest { self.write(last) }
        self.last = place
        self.looks += 1
        guard let place, isLast || self.looks % Self.looksBetween == 0 else { return }
        self.write(place)
    }

    private func place(of snapshot: PlayerSnapshot) -> Place? {
        guard let index = snapshot.itemIndex, self.digests.indices.contains(index),
            let digest = self.digests[index], !snapshot.isLive
        else { return nil }
        let isOver = snapshot.state == .stopped && snapshot.stopReason == .endOfStream
        return Place(
            digest: digest,
            position: isOver ? snapshot.duration ?? snapshot.position : snapshot.position,
            duration: snapshot.duration
        )
    }

    private func write(_ place: Place) {
        self.file.change { book in
            book.note(
                place.digest,
                at: place.position,
                of: place.duration,
                now: Int64(Date().timeIntervalSince1970)
            )
        }
    }
}
