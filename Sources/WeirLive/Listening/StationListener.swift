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
/// The first piece is a stretch. The loss of a connection does not end the sequence: ``next()``
/// waits for the next connection, and continues with a stretch that says why the last one was lost.
/// The station keeps its connection while it has a listener. Releasing a listener makes it leave.
package final class StationListener: Sendable {
    private struct State {
        var cursor: RingCursor
        var isCancelled = false
    }

    /// How many bytes a piece has at most.
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

    /// Returns the next piece as soon as it is available.
    ///
    /// Make one call at a time: two concurrent calls get different pieces.
    ///
    /// - Returns: `nil` after ``cancel()`` and after the station was closed.
    /// - Throws: ``StationError`` when the station has given up and the listener got all kept
    ///   bytes; `CancellationError`, at once, when the calling task is cancelled.
    package func next() async throws -> StationPiece? {
        try await self.next { ring, cursor in ring.read(at: &cursor, limit: Self.pieceLimit) }
    }

    /// Returns the next packets; a listener calls either this or ``next()``, not both.
    ///
    /// The station finds the packets when their bytes arrive, once for all listeners.
    package func nextSound() async throws -> StationSound? {
        try await self.next { ring, cursor in ring.readSound(at: &cursor) }
    }

    private func next<Piece>(
        _ take: (TimeShiftRing, inout RingCursor) -> Piece?
    ) async throws -> Piece? {
        while true {
            // Reading the kept stream needs no wait, so only this check notices a cancellation.
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

    /// The next available piece, and whether the listener was cancelled.
    private func read<Piece>(
        _ take: (TimeShiftRing, inout RingCursor) -> Piece?
    ) -> (Piece?, isCancelled: Bool) {
        self.state.withLock { state in
            guard !state.isCancelled else { return (nil, true) }
            return (take(self.core.ring, &state.cursor), false)
        }
    }

    /// Ends listening, from any thread, any number of times.
    ///
    /// A pending ``next()`` returns at once.
    package func cancel() {
        self.state.withLock { $0.isCancelled = true }
        self.core.leave(self.id)
        self.core.news.raise()
    }

    /// How far the next piece of ``next()`` is behind the live end.
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

    /// Moves to a distance behind the live end, as far as the stream is kept.
    ///
    /// ``next()`` continues with a stretch of cause `moved`.
    ///
    /// - Parameter distance: the distance from the live end; a negative one counts as zero.
    package func move(toBehindLive distance: Duration) {
        self.move(to: self.core.cursor(at: .behind(distance), cause: .moved))
    }

    /// Moves to the position where a listener that joins live begins.
    package func goLive() {
        self.move(to: self.core.cursor(at: .live, cause: .moved))
    }

    private func move(to cursor: RingCursor) {
        self.state.withLock { $0.cursor.move(to: cursor) }
        self.core.news.raise()
    }
}

/// The position where a listener begins.
package enum StationStart: Hashable, Sendable {
    /// At the live end.
    case live
    /// At this distance behind the live end, as far as the stream is kept.
    case behind(Duration)
    /// At a time of the station, as far as the stream is kept.
    case time(Duration)
}

/// Whether a listener gets more pieces.
enum ListenerEnd: Sendable {
    /// The listener gets more.
    case open
    /// The listener gets the kept pieces, and then this loss.
    case lost(StationError)
    /// The listener gets no more.
    case closed
}

/// A piece for a listener that takes bytes, in the order of the sound.
package enum StationPiece: Sendable {
    /// The following bytes come from another position of the stream than the previous bytes.
    ///
    /// There is a new connection, or the listener moved, or it was too slow and lost some bytes.
    /// Make a new parser for the following bytes.
    case stretch(StreamStretch)
    /// Bytes of sound, without titles.
    case audio(ByteMemory)
    /// The station's metadata for the next sound.
    case metadata(ICYMetadata)
}

/// A piece for a listener that takes packets, in the order of the sound.
package enum StationSound: Sendable {
    /// The following packets come from another position of the stream, as in ``StationPiece``; the
    /// stretch's header is not needed.
    case stretch(StreamStretch)
    /// A sign that the parser found before the following packets.
    case sign(StreamSign)
    /// The station's metadata for the following packets.
    case metadata(ICYMetadata)
    /// Packets that follow each other, and the bytes that hold them.
    case packets(StreamPackets)
}
