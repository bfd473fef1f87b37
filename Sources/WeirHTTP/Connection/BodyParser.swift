// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Finds the bytes of a body by its framing: a length, chunks (RFC 9112 §7.1), or the end of its
/// connection.
///
/// ```
/// chunk-size [ ";" extension ] CRLF  data CRLF   …   "0" CRLF  *( trailer CRLF )  CRLF
/// ```
/// Extensions and trailers are skipped. A line may end with a bare line feed.
struct BodyParser {
    private enum Phase {
        case data(remaining: Int64)
        case untilClose
        /// In the digits of a chunk's size.
        case size(Int64, digits: Int)
        /// Behind the digits, up to the line feed.
        case sizeEnd(Int64, count: Int)
        case chunk(remaining: Int64)
        /// Behind a chunk's bytes, before the line feed.
        case chunkEnd
        /// In a line behind the last chunk: `line` counts the bytes of this line, `all` those of
        /// all trailers.
        case trailer(line: Int, all: Int)
        case ended
    }

    /// The limit in bytes for the extensions of a chunk, and for all trailers.
    static let limit = 64 << 10

    private var phase: Phase

    init(_ framing: AnswerHeadLines.Framing) {
        self.phase =
            switch framing {
            case .none: .ended
            case .length(let count): count == 0 ? .ended : .data(remaining: count)
            case .chunked: .size(0, digits: 0)
            case .untilClose: .untilClose
            }
    }

    /// Whether the response is complete if the connection ends now.
    var mayEndHere: Bool {
        switch self.phase {
        case .untilClose, .ended: true
        default: false
        }
    }

    /// Reads the next element, as ``AnswerParser/next(in:from:)`` does.
    mutating func next(
        in bytes: UnsafeRawBufferPointer,
        from offset: inout Int
    ) throws(HTTPTransportError) -> AnswerParser.Step {
        while true {
            if case .ended = self.phase { return .end }
            guard offset < bytes.count else { return .needsMore }
            switch self.phase {
            case .ended:
                return .end
            case .untilClose:
                defer { offset = bytes.count }
                return .body(offset..<bytes.count)
            case .data(let remaining):
                let range = Self.take(remaining, bytes, &offset)
                let rest = remaining - Int64(range.count)
                self.phase = rest == 0 ? .ended : .data(remaining: rest)
                return .body(range)
            case .chunk(let remaining):
                let range = Self.take(remaining, bytes, &offset)
                let rest = remaining - Int64(range.count)
                self.phase = rest == 0 ? .chunkEnd : .chunk(remaining: rest)
                return .body(range)
            case .size, .sizeEnd, .chunkEnd, .trailer:
                try self.read(bytes[offset])
                offset += 1
            }
        }
    }

    /// Reads a byte that is not part of the body.
    private mutating func read(_ byte: UInt8) throws(HTTPTransportError) {
        switch self.phase {
        case .size(let size, let digits):
            if let digit = byte.hexDigitValue {
                // 15 digits cannot overflow.
                guard digits < 15 else { throw .broken }
                self.phase = .size(size << 4 | Int64(digit), digits: digits + 1)
            } else {
                guard digits > 0 else { throw .broken }
                self.phase = .sizeEnd(size, count: 0)
                try self.read(byte)
            }
        case .sizeEnd(let size, let count):
            if byte == .lineFeed {
                self.phase = size == 0 ? .trailer(line: 0, all: 0) : .chunk(remaining: size)
            } else {
                // After a size, only an extension, blanks or the end of the line may follow.
                let isFirst = count == 0
                guard
                    !isFirst || byte == .carriageReturn || byte == UInt8(ascii: ";")
                        || byte.isBlank,
                    count < Self.limit
                else { throw .broken }
                self.phase = .sizeEnd(size, count: count + 1)
            }
        case .chunkEnd:
            if byte == .lineFeed {
                self.phase = .size(0, digits: 0)
            } else if byte != .carriageReturn {
                throw .broken
            }
        case .trailer(let line, let all):
            guard all < Self.limit else { throw .broken }
            if byte == .lineFeed {
                self.phase = line == 0 ? .ended : .trailer(line: 0, all: all + 1)
            } else {
                let isLine = byte != .carriageReturn
                self.phase = .trailer(line: line + (isLine ? 1 : 0), all: all + 1)
            }
        case .data, .untilClose, .chunk, .ended:
            break
        }
    }

    private static func take(
        _ remaining: Int64,
        _ bytes: UnsafeRawBufferPointer,
        _ offset: inout Int
    ) -> Range<Int> {
        let start = offset
        offset += Int(min(remaining, Int64(bytes.count - offset)))
        return start..<offset
    }
}
