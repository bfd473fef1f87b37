// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import Weir

/// The entries of Weir that take lengths, offsets, counts and times from another process: frames, and the messages in
/// them.
@Suite("Numbers from outside, between processes")
struct OutsideNumbersTests {
    private static let numbers = OutsideNumbers.texts + ["0.5", "1e300", "-1e300", "null"]

    /// Yields nothing.
    private final class Nothing: ChunkProducer {
        func next() async throws -> ByteChunk? { nil }
        func cancel() {}
    }

    private func decoded<Message: Decodable>(_ type: Message.Type, _ json: String) -> Message? {
        try? JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("a frame may say any length")
    func frames() throws {
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

    @Test("a demand may ask for any range")
    func demands() {
        for first in Self.numbers {
            for span in ["\"from\":{\"_0\":\(first)}", "\"suffix\":{\"_0\":\(first)}"] {
                _ = self.decoded(DemandMessage.self, "{\"span\":{\(span)}}")?.demand
            }
            for second in Self.numbers {
                let json = "{\"span\":{\"span\":{\"_0\":\(first),\"_1\":\(second)}}}"
                _ = self.decoded(DemandMessage.self, json)?.demand?.range.resolved(inLength: 100)
            }
        }
    }

    @Test(
        "a description, a reading, a failure and what is held have lengths that resources can have"
    )
    func claims() {
        var lengthCount = 0
        for number in Self.numbers {
            if let message = self.decoded(DescriptionMessage.self, "{\"length\":\(number)}") {
                let length = message.description.length
                #expect(length == Int64(number).flatMap(ResourceLength.checked))
                if length != nil { lengthCount += 1 }
            }
            let failure = """
                {"kind":"source","message":"m","lower":\(number),"upper":\(number),"length":\(number)}
                """
            if let error = self.decoded(FailureMessage.self, failure)?.error as? SourceError {
                #expect((error.length ?? 0) <= ResourceLength.maximum)
            }
            for other in Self.numbers {
                let reading = """
                    {"resource":{},"lowerBound":\(number),"upperBound":\(other),"provesEnd":true}
                    """
                let head = self.decoded(ReadingMessage.self, reading)
                if let head = head?.reading(from: { _, _ in Nothing() }) {
                    #expect((head.upperBound ?? 0) <= ResourceLength.maximum)
                }
                let held = self.decoded(
                    AvailabilityMessage.self,
                    "{\"bounds\":[\(number),\(other),5,9,\(other)],\"length\":\(other)}"
                )
                if let availability = held?.availability {
                    _ = (availability.isComplete, availability.held.byteCount)
                }
            }
        }
        #expect(lengthCount > 10, "the messages are not spelled so any more")
    }

    @Test("limits, policies, lists and results may hold any numbers")
    func settings() throws {
        var policyCount = 0
        for number in Self.numbers {
            let limits = """
                {"byteCount":\(number),"resourceCount":\(number),"age":\(number),"reserve":\(number)}
                """
            if let limits = self.decoded(LimitsMessage.self, limits)?.limits {
                let folder = TemporaryDirectory()
                try Cache(directory: folder.path, limits: limits).close()
            }
            for revalidation in ["{\"after\":{\"_0\":\(number)}}", "{\"never\":{}}"] {
                let policy = """
                    {"keep":{"first":{"_0":\(number)}},"revalidation":\(revalidation),
                     "readAhead":\(number),"reach":\(number),"maximumFetches":\(number),
                     "linger":\(number),"maximumChunk":\(number),"isImmutable":false}
                    """
                guard let policy = self.decoded(PolicyMessage.self, policy)?.policy else {
                    continue
                }
                policyCount += 1
                #expect(policy.readAhead >= 0 && policy.maximumChunk >= 1)
            }
            let resource = """
                {"identifier":"a","generation":1,"display":"","account":"","length":\(number),
                 "heldBytes":\(number),"lastUse":\(number),"created":\(number),"isPinned":false}
                """
            if let resource = self.decoded(ResourceMessage.self, resource)?.resource {
                #expect(resource.heldBytes >= 0)
            }
            _ = self.decoded(CommandResult.self, "{\"exported\":{\"_0\":\(number)}}")
            let done = "{\"done\":{\"removed\":{\"resources\":\(number),\"bytes\":\(number)}}}"
            if case .done(let removed?)? = self.decoded(CommandResult.self, done) {
                #expect(removed.removal.byteCount >= 0)
            }
        }
        #expect(policyCount > 10, "the messages are not spelled so any more")
    }

    @Test(
        "what was removed is said to a newer Weir and an older one, and an older one says nothing"
    )
    func removals() throws {
        let said = CommandResult.done(
            removed: RemovalMessage(Cache.Removal(resourceCount: 3, byteCount: 1 << 40))
        )
        let json = try JSONEncoder().encode(said)
        guard case .done(let removed) = try JSONDecoder().decode(CommandResult.self, from: json)
        else { throw CancellationError() }
        #expect(removed?.removal == Cache.Removal(resourceCount: 3, byteCount: 1 << 40))
        // The language of earlier versions.
        enum Former: Codable { case done }
        _ = try JSONDecoder().decode(Former.self, from: json)
        let former = try JSONEncoder().encode(Former.done)
        guard case .done(nil) = try JSONDecoder().decode(CommandResult.self, from: former) else {
            Issue.record("an older owner is not understood")
            return
        }
    }
}
