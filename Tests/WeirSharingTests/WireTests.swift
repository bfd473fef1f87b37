// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("What two processes say to each other")
struct WireTests {
    // MARK: Frames

    @Test("frames come out as they went in, however they are cut")
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
                    case .message(let buffer): messages.append(Array(buffer.readableBytesView))
                    case .bytes(let buffer): content += Array(buffer.readableBytesView)
                    }
                }
            }
            #expect(messages == [message, message, []])
            #expect(content == bytes)
        }
    }

    @Test(
        "what is no frame is refused",
        arguments: [[0, 0, 0, 0, 0], [3, 0, 0, 0, 1], [1, 255, 0, 0, 0], [2, 0, 0, 0, 0]]
    )
    func nonsense(_ bytes: [UInt8]) {
        var decoder = FrameDecoder(longestMessage: 1 << 20)
        var buffer = ByteBuffer(bytes: bytes)
        #expect(throws: CacheError.self) { _ = try decoder.next(in: &buffer) }
    }

    // MARK: Messages

    @Test("every message comes out as it went in")
    func roundTrips() throws {
        for message in MessageSamples.all {
            let encoded = message.encoded
            let again = try Message(decoding: encoded)
            #expect("\(again)" == "\(message)")
            #expect(again.encoded == encoded)
        }
    }

    @Test("a message that is cut off anywhere, or goes on behind its end, is none")
    func truncation() {
        for message in MessageSamples.all {
            let encoded = message.encoded
            for count in 0..<encoded.readableBytes {
                let part = encoded.getSlice(at: 0, length: count) ?? ByteBuffer()
                #expect(throws: CacheError.self, "\(message)") {
                    _ = try Message(decoding: part)
                }
            }
            var longer = encoded
            longer.writeInteger(UInt8(0))
            #expect(throws: CacheError.self, "\(message)") { _ = try Message(decoding: longer) }
        }
    }

    @Test("random bytes are read as a message or refused, and never trap")
    func randomBytes() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var buffer = ByteBuffer(bytes: [
                Message.version, UInt8.random(in: 0...23, using: &generator),
            ])
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let isSmall = Bool.random(using: &generator)
                buffer.writeInteger(UInt8.random(in: isSmall ? 0...3 : 0...255, using: &generator))
            }
            if let message = try? Message(decoding: buffer) {
                // What was read can be sent.
                _ = try? Message(decoding: message.encoded)
            }
        }
        // Each message with some of its bytes changed.
        for message in MessageSamples.all {
            for _ in 0..<50 {
                var bytes = Array(message.encoded.readableBytesView)
                let place = Int.random(in: 1..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
                _ = try? Message(decoding: ByteBuffer(bytes: bytes))
            }
        }
    }

    @Test("a text and a list that claim to be longer than the message are refused unread")
    func hostileCounts() {
        for kind in [UInt8(10), 17] {
            var buffer = ByteBuffer(bytes: [Message.version, kind])
            buffer.write(UInt32.max, UInt64(1))
            #expect(throws: CacheError.self) { _ = try Message(decoding: buffer) }
        }
        // A text that is not UTF-8.
        var buffer = ByteBuffer(bytes: [Message.version, 17])
        buffer.write(UInt32(2), UInt8(0xC3), UInt8(0x28), "")
        #expect(throws: CacheError.self) { _ = try Message(decoding: buffer) }
    }

    @Test("a range that no reader can mean is refused")
    func meaninglessRanges() {
        for range in [RequestedRange.from(-1), .span(-5..<5), .suffix(-1)] {
            let message = Message.read(use: 1, ReadDemand(range))
            #expect(throws: CacheError.self) { _ = try Message(decoding: message.encoded) }
        }
    }

    @Test("an error comes out with its kind, and a cancelled one as something to try again")
    func failures() throws {
        func sent(_ error: any Error) throws -> any Error {
            guard case .failure(let again) = try Message(decoding: Message.failure(error).encoded)
            else { throw CancellationError() }
            return again
        }
        let again = try sent(MessageSamples.failure) as? SourceError
        #expect(again?.code == .throttled)
        #expect(again?.range == 1..<5)
        #expect(again?.length == 9)
        #expect((try sent(CacheError(.full, "Full.")) as? CacheError)?.code == .full)
        #expect(try sent(CancellationError()) as? PeerError == .disconnected)
    }
}
