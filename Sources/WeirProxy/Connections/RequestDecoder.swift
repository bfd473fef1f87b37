// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// NIO's request decoder, with limits, which also tells what it was that exceeded them.
///
/// RFC 9110 has one status for a target that is too long (§15.5.15) and RFC 6585 another for fields
/// that are too large (§5); the decoder inside has one error for both.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    /// What is wrong with a head, where the decoder inside cannot tell.
    enum Defect: Error {
        case targetTooLong
        case fieldsTooLarge
        /// A line feed without a carriage return before it, behind a request line.
        ///
        /// The decoder inside takes it for a part of the version.
        case bareLineFeed
    }

    /// The most bytes of a target, and of one field's name and value.
    static let maximumFieldSize = 16 * 1024
    /// The most bytes of a head.
    static let maximumHeadSize = 64 * 1024
    /// The most fields of a head.
    static let maximumFieldCount = 100

    private let decoder: HTTPRequestDecoder
    /// Whether bytes of the head that has begun have been handed over, and a line end with them.
    private var isPastRequestLine = false

    init() {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = Self.maximumFieldSize
        limits.maxHeaderListSize = Self.maximumHeadSize
        limits.maxHeaderFieldCount = Self.maximumFieldCount
        self.decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes,
            limitConfiguration: limits
        )
    }

    func decoderAdded(context: ChannelHandlerContext) {
        self.decoder.decoderAdded(context: context)
    }

    func decoderRemoved(context: ChannelHandlerContext) {
        self.decoder.decoderRemoved(context: context)
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let before = buffer
        do {
            let state = try self.decoder.decode(context: context, buffer: &buffer)
            self.note(before.readableBytesView.prefix(buffer.readerIndex - before.readerIndex))
            return state
        } catch HTTPParserError.headerOverflow {
            throw self.overflow(in: before.readableBytesView)
        } catch HTTPParserError.invalidVersion
            where self.hasBareLineFeed(in: before.readableBytesView)
        {
            throw Defect.bareLineFeed
        }
    }

    func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        try self.decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    /// A head ends with an empty line; nearly always that is the end of what was read.
    private func note(_ consumed: ByteBufferView) {
        guard !consumed.isEmpty else { return }
        let end = Self.endOfLastHead(in: consumed)
        if end == consumed.endIndex {
            self.isPastRequestLine = false
        } else if let end {
            self.isPastRequestLine = consumed[end...].contains(UInt8(ascii: "\n"))
        } else if !self.isPastRequestLine {
            self.isPastRequestLine = consumed.contains(UInt8(ascii: "\n"))
        }
    }

    /// Looks for the first line that is too long: only the first of a head has a target.
    private func overflow(in unread: ByteBufferView) -> Defect {
        var isFirst = !self.isPastRequestLine
        for line in unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if isFirst {
                let words = line.split(separator: UInt8(ascii: " "))
                if words.contains(where: { $0.count > Self.maximumFieldSize }) {
                    return .targetTooLong
                }
            } else if line.count > Self.maximumFieldSize {
                return .fieldsTooLarge
            }
            // The line after an empty one is the first of the next head.
            isFirst = line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")])
        }
        return .fieldsTooLarge
    }

    /// Whether a request line, or what is left of the one that has begun, ends with a version that is spoken here and a line
    /// feed alone.
    private func hasBareLineFeed(in unread: ByteBufferView) -> Bool {
        let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var isFirst = !self.isPastRequestLine
        for line in lines.dropLast() {
            if isFirst, line.last != UInt8(ascii: "\r") {
                let end = line.suffix(8)
                return ["HTTP/1.1", "HTTP/1.0"].contains { version in
                    version.utf8.suffix(end.count).elementsEqual(end)
                }
            }
            isFirst = line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")])
        }
        return false
    }

    private static func endOfLastHead(in bytes: ByteBufferView) -> Int? {
        let newline = UInt8(ascii: "\n")
        var end = bytes.endIndex
        while let last = bytes[..<end].lastIndex(of: newline) {
            let line = bytes[..<last].suffix(2)
            if line.elementsEqual([newline, UInt8(ascii: "\r")]) || line.last == newline {
                return last + 1
            }
            end = last
        }
        return nil
    }
}

@available(*, unavailable)
extension RequestDecoder: Sendable {}
