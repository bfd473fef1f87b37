// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirCache
import WeirSharing
import WeirSource

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
    /// - Throws: `CacheError` if the bytes are not a frame.
    mutating func next(in buffer: inout ByteBuffer) throws(CacheError) -> Frame? {
        if self.rest == 0 {
            guard
                let kind = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
                let length = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self)
            else { return nil }
            switch kind {
            case Frame.messageKind:
                guard length <= self.longestMessage else { throw CacheError.otherVersion }
                guard buffer.readableBytes >= Frame.headLength + Int(length) else { return nil }
                buffer.moveReaderIndex(forwardBy: Frame.headLength)
                return buffer.readBytes(length: Int(length)).map(Frame.message)
            case Frame.bytesKind:
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
        return .bytes(
            ByteMemory(owner: piece, count: count) { piece, body in
                piece.withUnsafeReadableBytes(body)
            }
        )
    }
}

/// A frame whose content the system can take.
struct OutboundFrame: Sendable {
    let kind: UInt8
    let content: ByteBuffer

    /// Bytes of a resource that a `ByteBuffer` holds are not copied; all others are, once.
    init(_ frame: Frame) {
        switch frame {
        case .message(let bytes):
            (self.kind, self.content) = (Frame.messageKind, ByteBuffer(bytes: bytes))
        case .bytes(let memory): (self.kind, self.content) = (Frame.bytesKind, Self.content(memory))
        }
    }

    private static func content(_ memory: ByteMemory) -> ByteBuffer {
        if let buffer = memory.owner as? ByteBuffer,
            let slice = buffer.getSlice(
                at: buffer.readerIndex + memory.bounds.lowerBound,
                length: memory.count
            )
        {
            return slice
        }
        return memory.withUnsafeBytes { ByteBuffer(bytes: $0) }
    }
}

/// Puts a head before each frame; the content is not copied.
final class FrameEncoder: ChannelOutboundHandler {
    typealias OutboundIn = OutboundFrame
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = self.unwrapOutboundIn(data)
        var head = context.channel.allocator.buffer(capacity: Frame.headLength)
        head.writeInteger(frame.kind)
        head.writeInteger(UInt32(frame.content.readableBytes))
        context.write(self.wrapOutboundOut(head), promise: nil)
        context.write(self.wrapOutboundOut(frame.content), promise: promise)
    }
}
