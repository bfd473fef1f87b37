// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The positions of the samples in a movie box (ISO/IEC 14496-12, 8.6 and 8.7).
struct StubMovie: Sendable {
    /// One track.
    struct Track: Sendable, Hashable {
        /// How many samples the track has.
        let sampleCount: Int
        /// The byte range of each sample.
        let samples: [Range<Int64>]
    }

    /// Why a movie box cannot be used.
    enum Failure: Error, Hashable {
        case truncated
        case missing(String)
        case noTracks
        case disagree(String)
        case fragmented
    }

    let tracks: [Track]
    let seconds: Double

    /// Reads a movie box.
    ///
    /// - Parameter payload: The box without its header.
    /// - Throws: `Failure`.
    init(_ payload: Data) throws {
        let boxes = try Self.boxes(payload)
        if boxes["mvex"] != nil { throw Failure.fragmented }
        tracks = try (boxes["trak"] ?? []).map(Self.track)
        guard !tracks.isEmpty else { throw Failure.noTracks }
        seconds = try Self.seconds(Self.first("mvhd", of: boxes))
    }

    /// A big-endian number.
    static func integer(_ data: Data, at offset: Int, bytes: Int) -> Int64 {
        let start = data.startIndex + offset
        guard offset >= 0, start + bytes <= data.endIndex else { return -1 }
        return data[start..<start + bytes].reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func seconds(_ header: Data) -> Double {
        let isLong = integer(header, at: 0, bytes: 1) == 1
        let scale = integer(header, at: isLong ? 20 : 12, bytes: 4)
        let duration = integer(header, at: isLong ? 24 : 16, bytes: isLong ? 8 : 4)
        return scale > 0 && duration > 0 ? Double(duration) / Double(scale) : 0
    }

    private static func track(_ payload: Data) throws -> Track {
        var boxes = try boxes(payload)
        for name in ["mdia", "minf", "stbl"] {
            boxes = try self.boxes(first(name, of: boxes))
        }
        let sizes = try sizes(first("stsz", of: boxes))
        let chunks = try chunkOffsets(boxes)
        let runs = try first("stsc", of: boxes)
        var samples: [Range<Int64>] = []
        var run = 0
        let runCount = Int(integer(runs, at: 4, bytes: 4))
        guard runCount > 0, runs.count >= 8 + 12 * runCount else { throw Failure.truncated }
        for (index, chunk) in chunks.enumerated() {
            while run + 1 < runCount,
                integer(runs, at: 8 + 12 * (run + 1), bytes: 4) <= Int64(index + 1)
            {
                run += 1
            }
            var offset = chunk
            for _ in 0..<integer(runs, at: 12 + 12 * run, bytes: 4) {
                guard samples.count < sizes.count else { break }
                let size = sizes[samples.count]
                samples.append(offset..<offset + size)
                offset += size
            }
        }
        guard samples.count == sizes.count else { throw Failure.disagree("stsc") }
        return Track(sampleCount: sizes.count, samples: samples)
    }

    private static func sizes(_ table: Data) throws -> [Int64] {
        let common = integer(table, at: 4, bytes: 4)
        let count = Int(integer(table, at: 8, bytes: 4))
        guard count >= 0 else { throw Failure.truncated }
        guard common == 0 else { return Array(repeating: common, count: count) }
        guard table.count >= 12 + 4 * count else { throw Failure.truncated }
        return (0..<count).map { integer(table, at: 12 + 4 * $0, bytes: 4) }
    }

    private static func chunkOffsets(_ boxes: [String: [Data]]) throws -> [Int64] {
        let isLong = boxes["co64"] != nil
        let table = try first(isLong ? "co64" : "stco", of: boxes)
        let width = isLong ? 8 : 4
        let count = Int(integer(table, at: 4, bytes: 4))
        guard count >= 0, table.count >= 8 + width * count else { throw Failure.truncated }
        return (0..<count).map { integer(table, at: 8 + width * $0, bytes: width) }
    }

    private static func first(_ name: String, of boxes: [String: [Data]]) throws -> Data {
        guard let box = boxes[name]?.first else { throw Failure.missing(name) }
        return box
    }

    private static func boxes(_ payload: Data) throws -> [String: [Data]] {
        var found: [String: [Data]] = [:]
        var offset = 0
        while offset + 8 <= payload.count {
            let size = Int(integer(payload, at: offset, bytes: 4))
            guard size >= 8, offset + size <= payload.count else { throw Failure.truncated }
            let box = payload.dropFirst(offset).prefix(size)
            let type = String(decoding: box.dropFirst(4).prefix(4), as: UTF8.self)
            found[type, default: []].append(Data(box.dropFirst(8)))
            offset += size
        }
        return found
    }
}
