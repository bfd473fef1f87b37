// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Walks the top-level boxes of an ISO base media file as its bytes arrive (ISO/IEC 14496-12, 4.2).
///
/// ```
/// | size: 32 | type: 32 | [largesize: 64, if size is 1] | payload … |
/// ```
struct StubBoxWalker: Sendable {
    /// The result of a step.
    enum Step: Sendable {
        /// The whole payload of the movie box.
        case movie(Data)
        /// The range of the media box, with its header.
        case media(Range<Int64>)
        /// The next box has an unknown type, or a size that is too small or reaches past the end of
        /// the file.
        case malformed
    }

    private static let known: Set<String> = [
        "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "uuid", "udta", "meta", "pnot",
        "sidx", "pdin",
    ]

    /// The offset of the box that is being read.
    private(set) var position: Int64
    private let total: Int64
    private var buffer = Data()

    /// Starts a walk at a box.
    ///
    /// - Parameters:
    ///   - position: The offset to begin at, where a box must begin.
    ///   - total: The length of the file.
    init(at position: Int64, total: Int64) {
        self.position = position
        self.total = total
    }

    /// Accepts the next bytes, and drops the bytes of skipped boxes.
    ///
    /// Only bytes of skipped boxes may be missing between two chunks.
    mutating func take(_ chunk: StubChunk) {
        let skipped = position - chunk.offset
        if buffer.isEmpty, skipped > 0 {
            buffer = Data(chunk.data.dropFirst(Int(min(skipped, Int64(chunk.data.count)))))
        } else {
            buffer.append(chunk.data)
        }
    }

    /// Reads the next box.
    ///
    /// - Returns: The result; nil if more bytes are needed, or none are left.
    mutating func next() -> Step? {
        while let (type, header, size) = header() {
            guard Self.known.contains(type), size >= Int64(header), position + size <= total else {
                return .malformed
            }
            switch type {
            case "mdat":
                let range = position..<position + size
                skip(size)
                return .media(range)
            case "moov":
                guard Int64(buffer.count) >= size else { return nil }
                let payload = buffer.prefix(Int(size)).dropFirst(header)
                skip(size)
                return .movie(Data(payload))
            default:
                skip(size)
            }
        }
        return nil
    }

    private func header() -> (type: String, header: Int, size: Int64)? {
        guard buffer.count >= 8 else { return nil }
        let small = StubMovie.integer(buffer, at: 0, bytes: 4)
        let type = String(decoding: buffer.dropFirst(4).prefix(4), as: UTF8.self)
        switch small {
        case 0: return (type, 8, total - position)
        case 1:
            guard buffer.count >= 16 else { return nil }
            return (type, 16, StubMovie.integer(buffer, at: 8, bytes: 8))
        default: return (type, 8, small)
        }
    }

    private mutating func skip(_ size: Int64) {
        position += size
        buffer = Data(buffer.dropFirst(Int(min(size, Int64(buffer.count)))))
    }
}
