// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing
import WeirCache
import WeirSharing
import WeirSource
import WeirTestKit

@testable import WeirSharingSocket

@Suite("Frames between two processes")
struct FrameCodecTests {
    @Test("decoded frames equal the encoded ones, whatever the sizes of the pieces")
    func frames() throws {
        var stream = ByteBuffer()
        let message = Array("{\"end\":{}}".utf8)
        let bytes = PatternBytes.bytes(in: 0..<1000)
        for (kind, content) in [(UInt8(1), message), (2, bytes), (1, message), (1, [])] {
            stream.writeInteger(kind)
            stream.writeInteger(UInt32(content.count))
            stream.writeBytes(content)
        }
        for size in [1, 2, 5, 6, 7, 64, 5000] {
            var decoder = FrameDecoder(longestMessage: 1 << 20)
            var (rest, buffer) = (stream, ByteBuffer())
            var (messages, content) = ([[UInt8]](), [UInt8]())
            while let piece = rest.readSlice(length: min(size, max(1, rest.readableBytes))) {
                buffer.writeImmutableBuffer(piece)
                while let frame = try decoder.next(in: &buffer) {
                    switch frame {
                    case .message(let bytes): messages.append(bytes)
                    case .bytes(let memory): content += memory.array
                    }
                }
            }
            #expect(messages == [message, message, []])
            #expect(content == bytes)
        }
    }

    @Test(
        "bytes that are not a frame are refused",
        arguments: [[0, 0, 0, 0, 0], [3, 0, 0, 0, 1], [1, 255, 0, 0, 0], [2, 0, 0, 0, 0]]
    )
    func nonsense(_ bytes: [UInt8]) {
        var decoder = FrameDecoder(longestMessage: 1 << 20)
        var buffer = ByteBuffer(bytes: bytes)
        #expect(throws: CacheError.self) { _ = try decoder.next(in: &buffer) }
    }

    @Test("a frame may claim any length")
    func lengths() {
        for number in OutsideNumbers.natural {
            for kind in [UInt8(1), 2] {
                var buffer = ByteBuffer()
                buffer.writeInteger(kind)
                buffer.writeInteger(UInt32(truncatingIfNeeded: number))
                buffer.writeBytes([1, 2, 3])
                var decoder = FrameDecoder(longestMessage: .max)
                _ = try? decoder.next(in: &buffer)
                _ = try? decoder.next(in: &buffer)
            }
        }
    }

    @Test("a frame is its kind, the length of its content and the content")
    func form() throws {
        let channel = EmbeddedChannel(handler: FrameEncoder())
        let bytes = PatternBytes.bytes(in: 0..<300)
        for frame in [Frame.message([5, 7]), .message([]), .bytes(ByteMemory(bytes))] {
            try channel.writeOutbound(OutboundFrame(frame))
        }
        var sent: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            sent += buffer.readableBytesView
        }
        #expect(sent == [1, 0, 0, 0, 2, 5, 7, 1, 0, 0, 0, 0, 2, 0, 0, 1, 44] + bytes)
        _ = try channel.finish()
    }

    @Test("bytes of a resource pass through both ends without a copy")
    func copies() throws {
        func address(_ buffer: ByteBuffer) -> UnsafeRawPointer? {
            buffer.withUnsafeReadableBytes { $0.baseAddress.map { UnsafeRawPointer($0) } }
        }
        // As another module passes it: a part of a buffer whose first bytes have been read.
        var buffer = ByteBuffer(bytes: PatternBytes.bytes(in: 0..<1000))
        buffer.moveReaderIndex(forwardBy: 10)
        let memory = ByteMemory(owner: buffer, count: buffer.readableBytes) { buffer, body in
            buffer.withUnsafeReadableBytes(body)
        }
        let outbound = OutboundFrame(.bytes(memory[100..<900]))
        #expect(outbound.content.readableBytes == 800)
        #expect(address(outbound.content) == address(buffer)?.advanced(by: 100))

        var stream = ByteBuffer(bytes: [2, 0, 0, 3, 32])
        stream.writeImmutableBuffer(outbound.content)
        let arrived = address(stream)?.advanced(by: Frame.headLength)
        var decoder = FrameDecoder(longestMessage: 1)
        guard case .bytes(let received)? = try decoder.next(in: &stream) else {
            Issue.record("no bytes were decoded")
            return
        }
        #expect(received.array == PatternBytes.bytes(in: 110..<910))
        #expect(received.withUnsafeBytes { $0.baseAddress } == arrived)
        // Sending it on to a third process does not copy it either.
        #expect(address(OutboundFrame(.bytes(received)).content) == arrived)
    }
}
