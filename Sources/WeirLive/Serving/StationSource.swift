// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
public import WeirSource

/// A station as a byte source: the proxy serves it to players that cannot play stations themselves.
///
/// It has no length and no end. Each reading joins at the live end. It gets the header that players
/// need first (for an Ogg or FLAC stream), then the sound, without titles. All readings share the
/// station's one connection, and a released reading leaves at once. When the station reconnects,
/// the bytes continue: every player finds the frames of MPEG audio and ADTS again, and Ogg begins
/// its next logical stream.
///
/// | request | response |
/// |---|---|
/// | from 0 on | the header and the sound, for as long as the reader reads |
/// | up to a bound | these bytes, and the end |
/// | from an offset on | the same reading without its first bytes; each reading has other bytes |
/// | an empty range | a reading without chunks |
/// | a suffix | `rangeNotSatisfiable`: there is no end to count from |
///
/// While a station is away, players would wait for a response head that does not come. So a new
/// reader waits for the first sound only for a limited time. A reader that has had sound waits for
/// as long as the station reconnects.
public final class StationSource: ByteSource {
    private let name: String
    private let listen: @Sendable () -> any StationPieces
    /// The longest wait for the first sound, its clock, and the known reason for the delay; `nil`:
    /// no limit.
    private let limit: Limit?
    typealias Limit = (
        patience: Duration, timeline: Timeline, reason: @Sendable () -> StationError?
    )
    /// The description, once the station has sent a stretch.
    private let known = Mutex<ResourceDescription?>(nil)

    /// A station as a source.
    ///
    /// - Parameters:
    ///   - station: the station; the source connects to it when it is read.
    ///   - patience: how long the first sound may take; by default longer than one response head
    ///     may take.
    public convenience init(_ station: Station, patience: Duration = .seconds(20)) {
        let limit: Limit = (
            patience: patience,
            timeline: station.core.timeline,
            reason: { station.status.reason }
        )
        self.init(name: station.name, limit: limit) { station.listen() }
    }

    init(
        name: String,
        limit: Limit? = nil,
        listen: @escaping @Sendable () -> any StationPieces
    ) {
        self.name = name
        self.limit = limit
        self.listen = listen
    }

    /// Describes the station's stream; connects only if this source has had no stretch yet.
    ///
    /// - Throws: `SourceError`, as ``read(_:)`` does; `CancellationError`.
    public func describe() async throws -> ResourceDescription {
        if let known = self.known.withLock({ $0 }) { return known }
        let pieces = self.listen()
        defer { pieces.cancel() }
        return self.description(try await self.stretch(pieces))
    }

    /// Starts to read; returns when sound is available.
    ///
    /// - Throws: `SourceError`: `rangeNotSatisfiable` for a suffix; the reason when the station
    ///   gave up; the reason or `timedOut` when no sound arrives in time; `closed` when the station
    ///   was closed. `CancellationError`.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard let start = demand.range.knownLowerBound, start >= 0 else {
            throw SourceError(
                .rangeNotSatisfiable,
                "A station has no end to count from; read it from its start."
            )
        }
        if demand.range.isEmpty {
            return ByteReading(
                resource: try await self.describe(),
                lowerBound: start,
                upperBound: start,
                producer: StationProducer(nil, .empty, start..<start)
            )
        }
        let pieces = self.listen()
        do {
            let stretch = try await self.stretch(pieces)
            let end = demand.range.knownUpperBound
            return ByteReading(
                resource: self.description(stretch),
                lowerBound: start,
                upperBound: end,
                producer: StationProducer(pieces, stretch.head, start..<(end ?? .max))
            )
        } catch {
            pieces.cancel()
            throw error
        }
    }

    /// The first stretch of a new listener, if it arrives in time.
    private func stretch(_ pieces: any StationPieces) async throws -> StreamStretch {
        guard let limit else { return try await Self.stretch(pieces) }
        return try await withThrowingTaskGroup(of: StreamStretch?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await Self.stretch(pieces) }
            group.addTask {
                try await limit.timeline.sleep(limit.patience)
                return nil
            }
            if let stretch = try await group.next() ?? nil { return stretch }
            if let loss = limit.reason() { throw SourceError(loss) }
            throw SourceError(
                .timedOut,
                "\(self.name) sent no sound within \(limit.patience); try again, or check whether it is on the air."
            )
        }
    }

    private static func stretch(_ pieces: any StationPieces) async throws -> StreamStretch {
        while true {
            let piece: StationPiece?
            do {
                piece = try await pieces.next()
            } catch let loss as StationError {
                throw SourceError(loss)
            }
            switch piece {
            case .stretch(let stretch)?: return stretch
            case .audio?, .metadata?: continue
            case nil: throw SourceError.stationClosed
            }
        }
    }

    private func description(_ stretch: StreamStretch) -> ResourceDescription {
        let declared = stretch.info.mediaType.flatMap { MediaType(headerValue: $0) }
        let type = Self.type(of: stretch.container, declared: declared) ?? declared
        let name = String(self.name.map { $0 == "/" ? "_" : $0 })
        let description = ResourceDescription(
            length: nil,
            mediaType: type,
            name: type?.preferredFileExtension.map { "\(name).\($0)" } ?? name,
            acceptsRanges: false
        )
        self.known.withLock { $0 = description }
        return description
    }

    /// The type of the found container; `nil` where the declared type says more, as for Ogg.
    private static func type(of container: AudioContainer?, declared: MediaType?) -> MediaType? {
        switch container {
        case .mpegAudio?: .mpegAudio
        case .adts?: .aac
        case .flac?: .flac
        case .wave?: .wav
        case .ogg? where declared == nil: .oggAudio
        default: nil
        }
    }
}

extension SourceError {
    /// The error for a loss: its underlying source error, or else a new one.
    init(_ loss: StationError) {
        if let cause = loss.cause as? SourceError {
            self = cause
            return
        }
        let code: Code =
            switch loss.code {
            case .refused: .forbidden
            case .failing: .originFailed
            case .notAudio: .notMedia
            case .silent: .timedOut
            default: .unreachable
            }
        self.init(code, loss.message, cause: loss)
    }

    /// The station was closed during a read.
    static let stationClosed = SourceError(
        .closed,
        "The station was closed while it was read; open it again."
    )
}
