// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
public import WeirSource

/// A station as a source of bytes: what the proxy serves to players that know no stations.
///
/// It has no length and no end. Each reading joins at the live end and gets what players need first: the header of an
/// Ogg or FLAC stream, then the sound, without titles; all share the station's one connection, and a reading that is
/// dropped leaves at once. When the station is connected to anew the bytes go on: MPEG audio and ADTS are found again
/// by every player, Ogg begins its next logical stream.
///
/// | asked | answer |
/// |---|---|
/// | from 0 on | the header and the sound, for as long as it is read |
/// | up to a bound | these bytes, and the end |
/// | from an offset on | the same reading without its first bytes; no two readings have the same bytes |
/// | an empty range | a reading without chunks |
/// | a suffix | `rangeNotSatisfiable`: there is no end to count from |
///
/// A player has no patience for a station that is away, and would wait for a head that does not come: a new reader
/// waits for the first sound for a while only; one that has had sound waits as long as the station is asked again.
public final class StationSource: ByteSource {
    private let name: String
    private let listen: @Sendable () -> any StationPieces
    /// How long the first sound may take, by which clock, and why it has not come yet, where that is known; `nil`: as
    /// long as it likes.
    private let limit: Limit?
    typealias Limit = (
        patience: Duration, timeline: Timeline, reason: @Sendable () -> StationLoss?
    )
    /// What is known without asking the station again.
    private let known = Mutex<ResourceDescription?>(nil)

    /// A station to be read.
    ///
    /// - Parameters:
    ///   - station: is connected to when it is read.
    ///   - patience: how long the first sound may take; by default longer than the head of one answer may.
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

    /// Tells what the station sends; connects to learn that, once.
    ///
    /// - Throws: `SourceError`, as ``read(_:)``; `CancellationError`.
    public func describe() async throws -> ResourceDescription {
        if let known = self.known.withLock({ $0 }) { return known }
        let pieces = self.listen()
        defer { pieces.cancel() }
        return self.description(try await self.stretch(pieces))
    }

    /// Starts to read; returns when the station has answered.
    ///
    /// - Throws: `SourceError`: `rangeNotSatisfiable` for a suffix; why the station gave up; `closed` when it was
    ///   closed. `CancellationError`.
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

    /// The stretch that a new listener gets first, if it comes in time.
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
                "\(self.name) sent no sound within \(limit.patience); try again, or look whether it is on the air."
            )
        }
    }

    private static func stretch(_ pieces: any StationPieces) async throws -> StreamStretch {
        while true {
            let piece: StationPiece?
            do {
                piece = try await pieces.next()
            } catch let loss as StationLoss {
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

    /// What the stream was found to be counts before what its server says, but for Ogg, which that says more of.
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
    /// Why a station's bytes do not come: what was underneath, where that says it already.
    init(_ loss: StationLoss) {
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

    /// The station was closed while it was read.
    static let stationClosed = SourceError(
        .closed,
        "The station was closed while it was read; open it again."
    )
}
