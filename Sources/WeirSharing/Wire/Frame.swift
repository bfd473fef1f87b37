// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirCache

/// A piece of what two processes send each other over the socket in the cache directory.
///
///     byte 0      1 a message, 2 bytes of a resource
///     bytes 1-4   the length of the content, 32 bits, the greatest byte first
///     then        the content
///
/// The form is the same in every version of Weir, so that each can read and refuse the first message of another.
enum Frame: Sendable {
    /// A ``Message``, encoded.
    case message(ByteBuffer)
    /// Bytes of a resource; a long piece may arrive as several.
    case bytes(ByteBuffer)

    /// Bytes before the content of a frame.
    static let headLength = 5
    /// The longest message that a user reads, in bytes: a list of 100,000 resources fits, and one of 10,000 downloads of
    /// which each has the longest texts and the longest context.
    static let longestAnswer = 128 << 20
    /// The longest message that an owner reads, in bytes.
    static let longestRequest = 1 << 20
    /// The longest piece of bytes that is sent at once.
    static let longestPiece = 256 << 10
}

/// Takes frames out of a stream of bytes; hands bytes of a resource on as they come.
struct FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = Frame

    /// Messages that are longer are invalid, in bytes.
    let longestMessage: Int
    /// Bytes of a piece that have not come yet.
    private var rest = 0

    init(longestMessage: Int) {
        self.longestMessage = longestMessage
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws
        -> DecodingState
    {
        guard let frame = try self.next(in: &buffer) else { return .needMoreData }
        context.fireChannelRead(self.wrapInboundOut(frame))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        try self.decode(context: context, buffer: &buffer)
    }

    /// The next frame, as far as it has come.
    ///
    /// - Throws: `CacheError` if the bytes are none.
    mutating func next(in buffer: inout ByteBuffer) throws(CacheError) -> Frame? {
        if self.rest == 0 {
            guard
                let kind = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
                let length = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self)
            else { return nil }
            switch kind {
            case 1:
                guard length <= self.longestMessage else { throw CacheError.otherVersion }
                guard buffer.readableBytes >= Frame.headLength + Int(length) else { return nil }
                buffer.moveReaderIndex(forwardBy: Frame.headLength)
                return buffer.readSlice(length: Int(length)).map(Frame.message)
            case 2:
                guard length > 0 else { throw CacheError.otherVersion }
                buffer.moveReaderIndex(forwardBy: Frame.headLength)
                self.rest = Int(length)
            default:
                throw CacheError.otherVersion
            }
        }
        let count = min(self.rest, buffer.readableBytes)
        guard count > 0, let piece = buffer.readSlice(length: count) else { return nil }
        self.rest -= count
        return .bytes(piece)
    }
}

/// Puts a head before each frame; the content is not copied.
final class FrameEncoder: ChannelOutboundHandler {
    typealias OutboundIn = Frame
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (kind, content): (UInt8, ByteBuffer) =
            switch self.unwrapOutboundIn(data) {
            case .message(let content): (1, content)
            case .bytes(let content): (2, content)
            }
        var head = context.channel.allocator.buffer(capacity: Frame.headLength)
        head.writeInteger(kind)
        head.writeInteger(UInt32(content.readableBytes))
        context.write(self.wrapOutboundOut(head), promise: nil)
        context.write(self.wrapOutboundOut(content), promise: promise)
    }
}
