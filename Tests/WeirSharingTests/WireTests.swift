// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("The messages between two processes")
struct WireTests {
    @Test("every decoded message equals the encoded one")
    func roundTrips() throws {
        for message in MessageSamples.all {
            let encoded = message.encoded
            let again = try Message(decoding: encoded)
            #expect("\(again)" == "\(message)")
            #expect(again.encoded == encoded)
        }
    }

    @Test("a message that is cut off anywhere, or has bytes behind its end, is refused")
    func truncation() {
        for message in MessageSamples.all {
            let encoded = message.encoded
            for count in 0..<encoded.count {
                let part = Array(encoded[..<count])
                #expect(throws: CacheError.self, "\(message)") {
                    _ = try Message(decoding: part)
                }
            }
            var longer = encoded
            longer.append(0)
            #expect(throws: CacheError.self, "\(message)") { _ = try Message(decoding: longer) }
        }
    }

    @Test("random bytes are read as a message or refused, and never trap")
    func randomBytes() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var bytes = [Message.version, UInt8.random(in: 0...23, using: &generator)]
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let isSmall = Bool.random(using: &generator)
                bytes.append(UInt8.random(in: isSmall ? 0...3 : 0...255, using: &generator))
            }
            if let message = try? Message(decoding: bytes) {
                // A message that was read can be sent again.
                _ = try? Message(decoding: message.encoded)
            }
        }
        // Each message with some of its bytes changed.
        for message in MessageSamples.all {
            for _ in 0..<50 {
                var bytes = message.encoded
                let place = Int.random(in: 1..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
                _ = try? Message(decoding: bytes)
            }
        }
    }

    @Test("a text and a list that claim to be longer than the message are refused")
    func hostileCounts() {
        for kind in [UInt8(10), 17] {
            var buffer = WireBuffer([Message.version, kind])
            buffer.write(UInt32.max, UInt64(1))
            #expect(throws: CacheError.self) { _ = try Message(decoding: buffer.bytes) }
        }
        // A text that is not UTF-8.
        var buffer = WireBuffer([Message.version, 17])
        buffer.write(UInt32(2), UInt8(0xC3), UInt8(0x28), "")
        #expect(throws: CacheError.self) { _ = try Message(decoding: buffer.bytes) }
    }

    @Test("an impossible range is refused")
    func meaninglessRanges() {
        for range in [RequestedRange.from(-1), .span(-5..<5), .suffix(-1)] {
            let message = Message.read(use: 1, ReadDemand(range))
            #expect(throws: CacheError.self) { _ = try Message(decoding: message.encoded) }
        }
    }

    @Test(
        "an error keeps its kind, and a cancelled one becomes an error that allows another attempt"
    )
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
