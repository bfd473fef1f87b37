// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirAudio
import WeirLive
import WeirSource

/// Reads a medium and collects the findings of its parser.
struct Inspector {
    /// How many bytes of a medium are read at first.
    ///
    /// Without a packet, reading continues until the first one, for at most ``wholeLength`` bytes.
    static let headLength: Int64 = 1_000_000
    /// How many bytes of a medium of unknown length are read at first.
    ///
    /// This number is smaller than ``headLength``, since a station sends in real time.
    static let endlessHeadLength: Int64 = 64 << 10
    /// The longest resource of an origin that is read whole.
    static let wholeLength: Int64 = 64_000_000

    private let source: any ByteSource
    /// The name of the medium.
    private let name: String
    private let station: NamedStation?
    /// Whether the medium is read whole, whatever its length.
    private let isWhole: Bool

    init(media: Media, isWhole: Bool) {
        self.source = media
        self.name = media.display
        self.station = nil
        self.isWhole = isWhole
    }

    /// An inspector of a radio station: reads the beginning, or with `isWhole` everything that the
    /// station sends.
    init(station: NamedStation, isWhole: Bool) {
        self.source = station.stream
        self.name = station.name
        self.station = station
        self.isWhole = isWhole
    }

    /// Reads the medium.
    ///
    /// - Returns: the findings, with the parser's error if it failed.
    /// - Throws: the errors of the source and of `show`.
    func inspect(show: (PacketLine) throws -> Void) async throws -> Inspection {
        let description = try await self.source.describe()
        var inspection = Inspection(
            name: self.name,
            bytes: description.length,
            mediaType: description.mediaType?.description
        )
        inspection.station = self.station.map {
            Inspection.Station(name: $0.name, address: $0.display, info: $0.station.status.info)
        }
        let readsAll = self.readsAll(description.length)
        let headLength = description.length == nil ? Self.endlessHeadLength : Self.headLength
        var budget: Int64 = readsAll ? .max : headLength
        let fileExtension = (description.name ?? self.name).split(separator: ".").last
        var parser = AudioStreamParser(
            hint: AudioTypeHint(
                mediaType: description.mediaType?.description,
                fileExtension: fileExtension.map(String.init)
            ),
            length: description.length
        )
        var next: Int64? = 0
        var jumps = 0
        do {
            while let start = next {
                // A damaged file may request jumps without end, so their number is limited.
                jumps += 1
                guard jumps <= 100_000 else { break }
                next = try await self.read(from: start, &budget, &parser, &inspection, show)
            }
        } catch let error as AudioStreamError {
            inspection.failure = try await self.explained(error, &inspection)
        }
        inspection.agreeingFrames = parser.agreeingFrameCount
        inspection.isComplete = readsAll
        inspection.isCutShort = parser.isCutShort
        return inspection
    }

    private func readsAll(_ length: Int64?) -> Bool {
        self.isWhole || length.map { $0 <= Self.wholeLength } ?? false
    }

    /// Reads from an offset until the end, a requested jump, or the end of the budget.
    ///
    /// - Returns: the offset to continue at; `nil` if the reading is complete.
    private func read(
        from start: Int64,
        _ budget: inout Int64,
        _ parser: inout AudioStreamParser,
        _ inspection: inout Inspection,
        _ show: (PacketLine) throws -> Void
    ) async throws -> Int64? {
        // At or after the end there is nothing to read.
        if start == 0 || start < inspection.bytes ?? .max {
            for try await chunk in try await self.source.read(.from(start)) {
                parser.push(try chunk.memory())
                if let wanted = try self.take(&parser, &inspection, show) { return wanted }
                budget -= Int64(chunk.count)
                let isEnough = inspection.packets.count > 0 || budget < -Self.wholeLength
                if budget <= 0, isEnough { return nil }
            }
        }
        parser.finish()
        return try self.take(&parser, &inspection, show)
    }

    /// Handles the parser's events.
    ///
    /// - Returns: the offset that the parser wants next; `nil` if it needs no jump.
    private func take(
        _ parser: inout AudioStreamParser,
        _ inspection: inout Inspection,
        _ show: (PacketLine) throws -> Void
    ) throws -> Int64? {
        while let event = try parser.next() {
            inspection.container = parser.container?.rawValue
            switch event {
            case .wanted(let offset):
                parser.jump(to: offset)
                return offset
            case .packet(let packet):
                let line = inspection.add(packet)
                try show(line)
            default: inspection.add(event)
            }
        }
        return nil
    }

    /// Turns the parser's error into an error for the user; a playlist is stored instead, without
    /// an error.
    private func explained(
        _ error: AudioStreamError,
        _ inspection: inout Inspection
    ) async throws -> CommandError? {
        if error.code == .notAudio {
            do {
                if let playlist = try await self.playlist() {
                    inspection.playlist = playlist
                    return nil
                }
            } catch let error as CommandError {
                return error
            }
        }
        return CommandError.content("\(self.name): \(error.ownerSentence)")
    }

    /// - Returns: `nil` if the medium is not a playlist.
    ///
    /// - Throws: ``CommandError`` for a playlist that is too large.
    private func playlist() async throws -> Playlist? {
        var bytes: [UInt8] = []
        // One byte more than the limit shows that the playlist is too long.
        let head = Int64(Playlist.maximumByteCount) + 1
        for try await chunk in try await self.source.read(.span(0..<head)) {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        do {
            return try Playlist(read: bytes, of: self.name)
        } catch {
            let isLarge = bytes.count > Playlist.maximumByteCount
            let head = Array(bytes.prefix(Playlist.markByteCount))
            if isLarge, Playlist.begins(with: head) { throw error }
            return nil
        }
    }
}
