// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// NIO's request decoder with limits; it also reports which limit was exceeded.
///
/// RFC 9110 has a status for a target that is too long (§15.5.15), and RFC 6585 one for fields that
/// are too large (§5). NIO's decoder has one error for both.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    /// A defect of a head that NIO's decoder cannot name.
    enum HeadError: Error {
        case targetTooLong
        case fieldsTooLarge
        /// A line feed without a carriage return before it, at the end of a request line.
        ///
        /// NIO's decoder takes it for a part of the version.
        case bareLineFeed
    }

    /// The most bytes of a target, and of one field's name and value.
    static let maximumFieldSize = 16 * 1024
    /// The most bytes of a head.
    static let maximumHeadSize = 64 * 1024
    /// The most fields of a head.
    static let maximumFieldCount = 100

    private let decoder: HTTPRequestDecoder
    /// Whether the decoder has consumed the request line of the current head.
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
            throw HeadError.bareLineFeed
        }
    }

    func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        try self.decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    /// Notes whether the request line of the current head has been consumed.
    ///
    /// A head ends with an empty line, nearly always at the end of the consumed bytes.
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

    /// Finds the first line that is too long; only the first line of a head has a target.
    private func overflow(in unread: ByteBufferView) -> HeadError {
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

    /// Whether a request line, or the rest of one, ends with a supported version and a bare line
    /// feed.
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
