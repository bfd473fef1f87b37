// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Takes frames out of a stream of bytes; hands bytes of a resource on as they come.
struct FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = Frame

    /// Not a frame: whoever sent it does not speak our language.
    struct Nonsense: Error {}

    /// Messages that are longer are nonsense, in bytes.
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
    mutating func next(in buffer: inout ByteBuffer) throws(Nonsense) -> Frame? {
        if self.rest == 0 {
            guard
                let kind = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
                let length = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self)
            else { return nil }
            switch Frame.Kind(rawValue: kind) {
            case .message:
                guard length <= self.longestMessage else { throw Nonsense() }
                guard buffer.readableBytes >= Frame.headLength + Int(length) else { return nil }
                buffer.moveReaderIndex(forwardBy: Frame.headLength)
                return buffer.readSlice(length: Int(length)).map(Frame.message)
            case .bytes:
                guard length > 0 else { throw Nonsense() }
                buffer.moveReaderIndex(forwardBy: Frame.headLength)
                self.rest = Int(length)
            case nil:
                throw Nonsense()
            }
        }
        let count = min(self.rest, buffer.readableBytes)
        guard count > 0, let piece = buffer.readSlice(length: count) else { return nil }
        self.rest -= count
        return .bytes(piece)
    }
}
