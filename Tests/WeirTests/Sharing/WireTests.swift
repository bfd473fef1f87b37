// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("What two processes say to each other")
struct WireTests {
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
        #expect(throws: FrameDecoder.Nonsense.self) { _ = try decoder.next(in: &buffer) }
    }

    @Test("a demand comes out as it went in, and nonsense does not")
    func demands() {
        let pin = ReadDemand.Pin(validator: .entityTag("\"a\""), length: 7)
        for range in [RequestedRange.from(0), .from(.max), .span(3..<9), .span(5..<5), .suffix(4)] {
            for demand in [ReadDemand(range), ReadDemand(range, pinnedTo: pin)] {
                #expect(DemandMessage(demand).demand == demand)
            }
        }
        for range in [RequestedRange.from(-1), .span(-5..<5), .suffix(-1)] {
            #expect(DemandMessage(ReadDemand(range)).demand == nil)
        }
    }

    @Test("a description comes out as it went in")
    func descriptions() {
        for validator in [
            nil, Validator.entityTag("\"x\""), .lastModified("Mon", length: 3), .revision("r"),
        ] {
            let description = ResourceDescription(
                length: 12,
                mediaType: MediaType(headerValue: "audio/mpeg"),
                validator: validator,
                name: "ü.mp3",
                acceptsRanges: true,
                generation: GenerationID(rawValue: .max),
                cacheDirectives: validator.map { _ in
                    CacheDirectives(forbidsStoring: true, freshness: .seconds(9))
                }
            )
            #expect(DescriptionMessage(description).description == description)
        }
        #expect(
            DescriptionMessage(ResourceDescription(length: -4)).description
                == ResourceDescription(length: nil)
        )
    }

    @Test("a policy, limits and what is held come out as they went in")
    func numbers() {
        for keep in [KeepPolicy.played, .whole, .first(9)] {
            for revalidation in [Revalidation.always, .never, .after(.milliseconds(1500))] {
                let policy = LoadPolicy(
                    keep: keep,
                    readAhead: 5,
                    linger: .milliseconds(250),
                    revalidation: revalidation,
                    isImmutable: true
                )
                #expect(PolicyMessage(policy).policy == policy)
            }
        }
        let limits = CacheLimits(byteCount: 1, resourceCount: 2, age: .seconds(3), reserve: 4)
        #expect(LimitsMessage(limits).limits == limits)
        let availability = Availability(held: RangeSet([0..<3, 7..<9]), length: nil)
        #expect(AvailabilityMessage(availability).availability == availability)
    }

    @Test("an error comes out with its kind, and a cancelled one as something to try again")
    func failures() {
        let error = SourceError(
            .throttled,
            "Wait.",
            range: 1..<5,
            host: "h",
            status: 429,
            length: 9
        )
        let again = FailureMessage(error).error as? SourceError
        #expect(again?.code == .throttled)
        #expect(again?.range == 1..<5)
        #expect(again?.length == 9)
        #expect((FailureMessage(CacheError(.full, "Full.")).error as? CacheError)?.code == .full)
        #expect(FailureMessage(CancellationError()).error is Interruption)
    }
}
