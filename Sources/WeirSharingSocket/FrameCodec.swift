// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirCache
import WeirSharing
import WeirSource

/// Decodes frames from a stream of bytes; passes bytes of a resource on as they arrive.
struct FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = Frame

    /// The maximum size of a message in bytes; longer messages are invalid.
    let longestMessage: Int
    /// How many bytes of a piece have not arrived yet.
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

    /// The next frame, or the part of it that has arrived.
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

/// A frame in a form that the system can send.
struct OutboundFrame: Sendable {
    let kind: UInt8
    let content: ByteBuffer

    /// Copies the bytes once, unless they are bytes of a resource in a `ByteBuffer`.
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

/// Writes a head before each frame, without copying the content.
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
