// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing

/// The entry points of WeirSharing that take numbers from another process.
///
/// These are the lengths, offsets, counts and times in messages.
@Suite("Numbers from outside, between processes")
struct OutsideNumbersTests {
    private static let numbers = OutsideNumbers.all

    /// Reads a value from the bytes of other values.
    private func read<Value: WireValue, each Part: WireValue>(
        _ type: Value.Type,
        _ parts: repeat each Part
    ) -> Value? {
        var buffer = WireBuffer()
        buffer.write(repeat each parts)
        return try? buffer.read(type)
    }

    @Test("a demand may ask for any range")
    func demands() {
        for first in Self.numbers {
            _ = self.read(RequestedRange.self, UInt8(1), first)?.resolved(inLength: 100)
            _ = self.read(RequestedRange.self, UInt8(3), first)?.resolved(inLength: 100)
            for second in Self.numbers {
                _ = self.read(RequestedRange.self, UInt8(2), first, second)?
                    .resolved(inLength: 100)
            }
        }
    }

    @Test("lengths in a description, a reading, a failure and an availability are possible lengths")
    func claims() {
        var lengthCount = 0
        for number in Self.numbers {
            let description = self.read(
                ResourceDescription.self,
                Int64?.some(number),
                String?.none,
                Validator?.none,
                String?.none,
                Bool?.none,
                UInt64?.none,
                CacheDirectives?.none
            )
            #expect(description != nil)
            #expect(description?.length == ResourceLength.checked(number))
            if description?.length != nil { lengthCount += 1 }
            let bounds = Int64?.some(number)
            let error = self.read(
                SourceError.self,
                "closed",
                "m",
                bounds,
                bounds,
                String?.none,
                Int?.none,
                bounds
            )
            #expect((error?.length ?? 0) <= ResourceLength.maximum)
            for other in Self.numbers {
                var message = WireBuffer([Message.version, 11])
                message.write(ResourceDescription(length: nil), number, Int64?.some(other))
                message.write(true, false)
                if case .reading(_, let lower, let upper?, _, _)? = try? Message(
                    decoding: message.bytes
                ) {
                    #expect(lower >= 0 && lower <= upper && upper <= ResourceLength.maximum)
                }
                let held = self.read(
                    Availability.self,
                    [number, other, 5, 9, other],
                    Int64?.some(other)
                )
                #expect(held != nil)
                _ = (held?.isComplete, held?.held.byteCount)
            }
        }
        #expect(lengthCount > 5, "the values are not written so any more")
    }

    @Test("limits, policies, lists and results may hold any numbers")
    func settings() throws {
        for number in Self.numbers {
            let some = Int64?.some(number)
            let limits = try #require(self.read(CacheLimits.self, some, some, some, some))
            let folder = TemporaryDirectory()
            try Cache(directory: folder.path, limits: limits).close()
            let policy = try #require(
                self.read(
                    LoadPolicy.self,
                    // The 3 means to keep the first bytes, and the 2 below means to revalidate after a time.
                    UInt8(3),
                    number,
                    number,
                    number,
                    number,
                    number,
                    number,
                    UInt8(2),
                    number,
                    false,
                    true,
                    true,
                    WhenGone?.none,
                    number,
                    some
                )
            )
            #expect(policy.readAhead >= 0 && policy.maximumChunk >= 1)
            #expect(policy.linger >= .zero && policy.linger <= .seconds(1_000_000_000))
            let resource = try #require(
                self.read(
                    CachedResource.self,
                    "a",
                    UInt64(1),
                    "",
                    "",
                    some,
                    number,
                    String?.none,
                    String?.none,
                    Double(number).bitPattern,
                    Double(number).bitPattern,
                    false
                )
            )
            #expect(resource.heldByteCount >= 0)
            _ = self.read(CommandResult.self, UInt8(4), number)
            guard
                case .removed(let removal)? = self.read(
                    CommandResult.self,
                    UInt8(5),
                    number,
                    number
                )
            else {
                Issue.record("a removal of \(number) bytes is not read")
                continue
            }
            #expect(removal.byteCount >= 0 && removal.resourceCount >= 0)
        }
        for pattern in [Double.nan, .infinity, -.infinity].map(\.bitPattern) {
            #expect(self.read(Date.self, pattern) == nil)
        }
    }
}
