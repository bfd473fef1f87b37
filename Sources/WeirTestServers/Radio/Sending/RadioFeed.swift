// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// The body of one connection: sound without an end, with titles between.
struct RadioFeed: Sendable {
    /// Bytes of the body.
    struct Piece: Sendable, Equatable {
        var bytes: [UInt8]
        /// How many of them are sound, or what stands in its place.
        var audioCount: Int
    }

    private let programme: RadioProgramme
    private let behaviour: RadioBehaviour
    /// Where in the station's sound this connection joined.
    let start: Int64
    private let metaint: Int
    /// How many bytes of sound have been given.
    private(set) var sent: Int64 = 0
    private var untilTitle: Int
    private var block: ArraySlice<UInt8> = []
    private var told: RadioTitle?

    init(
        _ programme: RadioProgramme,
        _ behaviour: RadioBehaviour,
        from start: Int64,
        hasTitles: Bool
    ) {
        self.programme = programme
        self.behaviour = behaviour
        self.start = start
        self.metaint = hasTitles ? behaviour.metaint : 0
        self.untilTitle = self.metaint
    }

    /// Takes the next bytes: of sound, or of a title, never of both.
    ///
    /// - Parameter limit: how many at most; above 0.
    /// - Returns: at least one byte, unless the file cannot be read any more.
    mutating func next(upTo limit: Int) -> Piece {
        if !self.block.isEmpty {
            let bytes = self.block.prefix(limit)
            self.block = self.block.dropFirst(bytes.count)
            return Piece(bytes: Array(bytes), audioCount: 0)
        }
        let room = self.metaint > 0 ? min(limit, self.untilTitle) : limit
        let bytes = self.audio(at: self.sent, upTo: room)
        self.sent += Int64(bytes.count)
        if self.metaint > 0 {
            self.untilTitle -= bytes.count
            if self.untilTitle == 0 { self.beginTitle() }
        }
        return Piece(bytes: bytes, audioCount: bytes.count)
    }

    /// The sound of this connection, by how much has been sent before it.
    func audio(at offset: Int64, upTo count: Int) -> [UInt8] {
        let garbage = self.behaviour.garbage
        if offset < garbage {
            let end = min(garbage, offset + Int64(count))
            return PatternBytes.bytes(in: offset..<end, seed: 0x6A72)
        }
        let place = offset - garbage
        guard let first = self.programme.files.first else { return [] }
        guard let change = self.behaviour.change else {
            return first.bytes(at: self.start + place, upTo: count)
        }
        if place < change {
            let count = Int(min(Int64(count), change - place))
            return first.bytes(at: self.start + place, upTo: count)
        }
        let second = self.programme.files.count > 1 ? self.programme.files[1] : first
        return second.bytes(at: place - change, upTo: count)
    }

    private mutating func beginTitle() {
        self.untilTitle = self.metaint
        let title = self.programme.title(at: self.start + self.sent)
        guard let title, title != self.told else {
            self.block = [0]
            return
        }
        self.told = title
        self.block = title.block(isLatin1: self.behaviour.has(.latin1))[...]
    }
}
