// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

/// The chunks of one reading of a station.
final class StationProducer: ChunkProducer {
    private struct State {
        /// The header to return before the next piece of the station.
        var head: ByteMemory
        /// The last header that the reader got.
        var given: ByteMemory
        /// The offset of the next byte in the reading.
        var position: Int64 = 0
    }

    /// `nil` for an empty reading.
    private let pieces: (any StationPieces)?
    private let wanted: Range<Int64>
    private let state: Mutex<State>

    /// The chunks of a listener.
    ///
    /// - Parameters:
    ///   - pieces: the listener, after its first stretch; the reading cancels it.
    ///   - head: the header of that stretch.
    ///   - wanted: the byte range of the reading that the reader gets.
    init(_ pieces: (any StationPieces)?, _ head: ByteMemory, _ wanted: Range<Int64>) {
        self.pieces = pieces
        self.wanted = wanted
        self.state = Mutex(State(head: head, given: head))
    }

    func next() async throws -> ByteChunk? {
        guard let pieces = self.pieces else { return nil }
        while true {
            let (head, position) = self.state.withLock { state in
                defer { state.head = .empty }
                return (state.head, state.position)
            }
            guard position < self.wanted.upperBound else {
                pieces.cancel()
                return nil
            }
            if let chunk = self.chunk(head) { return chunk }
            do {
                switch try await pieces.next() {
                case .audio(let bytes)?:
                    if let chunk = self.chunk(bytes) { return chunk }
                case .stretch(let stretch)?: self.begin(stretch)
                case .metadata?: continue
                case nil: throw Task.isCancelled ? CancellationError() : SourceError.stationClosed
                }
            } catch let loss as StationError {
                throw SourceError(loss)
            }
        }
    }

    func cancel() {
        self.pieces?.cancel()
    }

    /// Another stretch begins: its header comes first, except a FLAC header that the reader has
    /// already.
    ///
    /// A FLAC marker in mid-stream stops most players.
    private func begin(_ stretch: StreamStretch) {
        self.state.withLock { state in
            guard !stretch.head.isEmpty,
                stretch.container != .flac || state.given != stretch.head
            else { return }
            state.head = stretch.head
            state.given = stretch.head
        }
    }

    /// The next bytes of the reading, clamped to the wanted range.
    private func chunk(_ bytes: ByteMemory) -> ByteChunk? {
        guard !bytes.isEmpty else { return nil }
        let offset = self.state.withLock { state in
            defer { state.position += Int64(bytes.count) }
            return state.position
        }
        return ByteChunk(at: offset, memory: bytes).clamped(to: self.wanted)
    }
}

/// The bytes of a station for one listener: the source of readings.
protocol StationPieces: Sendable {
    /// The next piece, as in ``StationListener/next()``.
    func next() async throws -> StationPiece?
    /// Ends the bytes, as in ``StationListener/cancel()``.
    func cancel()
}

extension StationListener: StationPieces {}
