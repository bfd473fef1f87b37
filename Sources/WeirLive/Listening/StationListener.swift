// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirAudio

/// A listener of a station, at an offset of its own.
///
///     let listener = station.listen()
///     while let piece = try await listener.next() {
///         switch piece {
///         case .stretch(let stretch): parser = AudioStreamParser(…)
///         case .audio(let bytes): parser.push(bytes)
///         case .metadata(let metadata): titles.add(metadata)
///         }
///     }
///
/// The first piece is a stretch. A connection that is lost ends nothing: ``next()`` waits for the next one, and goes on
/// with a stretch that says what was lost. The station's connection lives while there is a listener; one that is
/// dropped has left.
package final class StationListener: Sendable {
    private struct State {
        var cursor: RingCursor
        var isCancelled = false
    }

    /// How many bytes are given at once.
    private static let pieceLimit = 32 << 10

    private let core: StationCore
    private let id: UInt64
    private let state: Mutex<State>

    init(_ core: StationCore, id: UInt64, cursor: RingCursor) {
        self.core = core
        self.id = id
        self.state = Mutex(State(cursor: cursor))
    }

    deinit {
        self.core.leave(self.id)
    }

    /// What comes next, when it is there.
    ///
    /// One call at a time: of two, each gets something else.
    ///
    /// - Returns: `nil` after ``cancel()`` and after the station was closed.
    /// - Throws: ``StationLoss`` when the station has given up and all that is kept was given; `CancellationError`,
    ///   at once, when the calling task is cancelled.
    package func next() async throws -> StationPiece? {
        try await self.next { ring, cursor in ring.read(at: &cursor, limit: Self.pieceLimit) }
    }

    /// What comes next, in packets: as ``next()``, which a listener does not call, too.
    ///
    /// The packets were found when their bytes came, once for all listeners.
    package func nextSound() async throws -> StationSound? {
        try await self.next { ring, cursor in ring.readSound(at: &cursor) }
    }

    private func next<Piece>(
        _ take: (TimeShiftRing, inout RingCursor) -> Piece?
    ) async throws -> Piece? {
        while true {
            // What is kept may be read for hours without a wait.
            try Task.checkCancellation()
            let count = self.core.news.count
            let end = self.core.end(of: self.id)
            if case .closed = end { return nil }
            let (piece, isCancelled) = self.read(take)
            if piece != nil || isCancelled { return piece }
            if case .lost(let loss) = end { throw loss }
            try await self.core.news.wait(after: count)
        }
    }

    /// The next piece that is there, and whether the listener was cancelled.
    private func read<Piece>(
        _ take: (TimeShiftRing, inout RingCursor) -> Piece?
    ) -> (Piece?, isCancelled: Bool) {
        self.state.withLock { state in
            guard !state.isCancelled else { return (nil, true) }
            return (take(self.core.ring, &state.cursor), false)
        }
    }

    /// Ends listening: from any thread, any number of times.
    ///
    /// A pending ``next()`` returns at once.
    package func cancel() {
        self.state.withLock { $0.isCancelled = true }
        self.core.leave(self.id)
        self.core.news.raise()
    }

    /// How far behind the live end that is which ``next()`` would give.
    package var behindLive: Duration {
        let cursor = self.state.withLock { $0.cursor }
        let ring = self.core.ring
        let time = ring.time(at: max(cursor.offset, ring.oldest)) ?? cursor.time
        return max(.zero, self.core.liveTime - time)
    }

    /// The station's time of its live end.
    package var liveTime: Duration { self.core.liveTime }

    /// How far behind the live end the listener could move.
    package var rewindable: Duration {
        max(.zero, self.core.liveTime - self.core.ring.oldestTime)
    }

    /// Moves, as far as that is kept; ``next()`` goes on with a stretch that says so.
    ///
    /// - Parameter distance: from the live end; a negative one is none.
    package func move(toBehindLive distance: Duration) {
        self.place(self.core.cursor(at: .behind(distance), cause: .moved))
    }

    /// Moves to where a listener that joins live begins.
    package func goLive() {
        self.place(self.core.cursor(at: .live, cause: .moved))
    }

    private func place(_ cursor: RingCursor) {
        self.state.withLock { $0.cursor.move(to: cursor) }
        self.core.news.raise()
    }
}

/// Where a listener begins to listen.
package enum StationStart: Hashable, Sendable {
    /// At the live end.
    case live
    /// So far behind the live end, as far as that is kept.
    case behind(Duration)
    /// At a time of the station, as far as that is kept.
    case time(Duration)
}

/// Whether a listener is to get more.
enum ListenerEnd: Sendable {
    /// Yes.
    case open
    /// What is kept, and then this.
    case lost(StationLoss)
    /// No.
    case closed
}

/// What a listener of a station gets that takes bytes, in the order of the sound.
package enum StationPiece: Sendable {
    /// The bytes that follow are from another place of the stream than those before: a new connection, or the listener
    /// moved, or was too slow and lost some. A new parser is to be made for them.
    case stretch(StreamStretch)
    /// Bytes of sound, without titles.
    case audio(ByteMemory)
    /// What the station says of the sound that comes next.
    case metadata(ICYMetadata)
}

/// What a listener of a station gets that takes packets, in the order of the sound.
package enum StationSound: Sendable {
    /// The packets that follow are from another place of the stream than those before, as in ``StationPiece``; its
    /// header is not wanted here.
    case stretch(StreamStretch)
    /// What was found before the packets that follow.
    case sign(StreamSign)
    /// What the station says of the packets that follow.
    case metadata(ICYMetadata)
    /// Packets that follow each other, and the bytes they lie in.
    case packets(StreamPackets)
}
