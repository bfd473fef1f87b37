// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirLoader

/// The entry points of WeirLoader that take lengths, offsets, counts and times from outside.
///
/// These are readers' ranges, an origin's description and speed, and policies, which other processes may send too.
@Suite("Numbers from outside, in the loader", .timeLimit(.minutes(2)))
struct OutsideNumbersTests {
    private static let numbers = OutsideNumbers.all
    private static let ranges: [RequestedRange] = OutsideNumbers.natural.flatMap { number in
        [
            .from(number), .suffix(number), .span(0..<number), .span(number..<Int64.max),
            .span(number.subtractingClamped(number > 11 ? 11 : number)..<number),
        ]
    }

    private static func policies(_ number: Int64) -> [LoadPolicy] {
        [
            LoadPolicy(readAhead: number), LoadPolicy(reach: number),
            LoadPolicy(maximumFetches: Int(number)), LoadPolicy(maximumChunk: number),
            LoadPolicy(prefetch: .first(number)), LoadPolicy(linger: .seconds(number)),
            LoadPolicy(prefetch: .whole, readAhead: number, reach: number, maximumChunk: number),
            LoadPolicy(revalidation: .after(.seconds(number))),
        ]
    }

    @Test("a plan survives any demands, lengths, positions and paces")
    func plans() {
        for number in OutsideNumbers.natural {
            for policy in Self.policies(number) + Self.policies(-1 - number) {
                for length in [nil, 100, ResourceLength.checked(number)] as [Int64?] {
                    var plan = FetchPlan(policy: policy)
                    plan.adopted(held: RangeSet(5..<9), length: length, overlap: 4096)
                    Self.drive(&plan, number, length)
                    var cold = FetchPlan(policy: policy)
                    Self.drive(&cold, number, length)
                }
            }
        }
    }

    private static func drive(_ plan: inout FetchPlan, _ number: Int64, _ length: Int64?) {
        let ranges = [
            RequestedRange.from(number), .suffix(number), .span(0..<number),
            .span(number..<Int64.max), .whole,
        ]
        for (index, range) in ranges.enumerated() {
            _ = plan.demanded(DemandID(rawValue: index), range)
            _ = plan.advanced(DemandID(rawValue: index), to: number)
        }
        for fetch in 1...4 {
            let id = FetchID(rawValue: fetch)
            _ = plan.opened(
                id,
                at: number,
                length: length,
                ignoresRanges: fetch == 4,
                overlap: 4096
            )
            _ = plan.arrived(id, upTo: number.addingClamped(1))
            plan.measured(latency: Double(number), rate: Double(number))
            plan.measured(latency: .infinity, rate: 0)
            _ = plan.finished(id)
            _ = plan.failed(id, onlyItsDemand: false)
            _ = plan.lingered(id)
        }
        for index in ranges.indices { _ = plan.departed(DemandID(rawValue: index)) }
    }

    @Test("a pace may be any number")
    func paces() {
        var plan = FetchPlan(policy: LoadPolicy(reach: .max))
        for latency in OutsideNumbers.fractions {
            for rate in OutsideNumbers.fractions {
                plan.measured(latency: latency, rate: rate)
                _ = Pace(latency: latency, seconds: rate, byteCount: .max).rate
            }
        }
    }

    @Test("the amount to keep may be any number")
    func keeping() {
        for number in Self.numbers {
            for length in OutsideNumbers.natural {
                _ = PrefetchPolicy.first(number).fillEnd(inLength: length)
            }
        }
    }

    @Test("readers may ask for any range, held or not")
    func readers() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1000))
        for isHeld in [false, true] {
            if isHeld { #expect(try await scene.bytes(.whole).count == 1000) }
            for range in Self.ranges {
                _ = scene.slice(range)
                do {
                    let bytes = try await scene.bytes(range)
                    #expect(
                        Int64(bytes.count)
                            == range.resolved(inLength: 1000).map { $0.upperBound - $0.lowerBound }
                    )
                } catch let error as SourceError {
                    #expect(error.code == .rangeNotSatisfiable)
                }
            }
        }
        await scene.source.close()
    }

    @Test("readers of held bytes get them under any policy")
    func policies() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1000))
        #expect(try await scene.bytes(.whole).count == 1000)
        for number in Self.numbers {
            for policy in Self.policies(number) {
                let source = scene.another(policy: policy)
                var count = 0
                for try await chunk in try await source.read(.whole) { count += chunk.count }
                #expect(count == 1000)
                await source.close()
            }
        }
    }

    /// An origin that claims any length, and has a few bytes at the end.
    private struct Claimant: ByteSource {
        let length: Int64

        var description: ResourceDescription {
            ResourceDescription(
                length: self.length,
                validator: .entityTag("\"\(self.length)\""),
                acceptsRanges: true
            )
        }

        func describe() async throws -> ResourceDescription { self.description }

        func read(_ demand: ReadDemand) async throws -> ByteReading {
            guard let range = demand.range.resolved(inLength: self.length) else {
                throw SourceError.pastTheEnd(demand.range, length: self.length)
            }
            let source = MemorySource(
                bytes: Array(
                    repeating: 1,
                    count: Int(clamping: min(range.upperBound - range.lowerBound, 11))
                )
            )
            return try await ByteReading(
                resource: self.description,
                lowerBound: range.lowerBound,
                upperBound: range.upperBound,
                producer: Moved(source.read(.whole).makeAsyncIterator(), to: range.lowerBound)
            )
        }
    }

    /// The chunks of a reading, moved to another offset.
    private final class Moved: ChunkProducer {
        let iterator: ByteReading.AsyncIterator
        let offset: Int64

        init(_ iterator: ByteReading.AsyncIterator, to offset: Int64) {
            (self.iterator, self.offset) = (iterator, offset)
        }

        func next() async throws -> ByteChunk? {
            guard let chunk = try await self.iterator.next() else { return nil }
            let end = self.offset.addingClamped(chunk.range.upperBound)
            guard end < .max else { return nil }
            return ByteChunk(at: end - Int64(chunk.count), memory: try chunk.memory())
        }

        func cancel() {}
    }

    @Test("an origin may claim any length; its last bytes are played, or there is an error")
    func origins() async throws {
        for length in OutsideNumbers.natural {
            let folder = TemporaryDirectory()
            let cache = try Cache(directory: folder.path)
            let source = CachedSource(
                origin: Claimant(length: length),
                key: LoaderScene.key,
                cache: cache,
                policy: LoaderScene.smallPolicy,
                clock: ManualClock()
            )
            do {
                for try await chunk in try await source.read(.suffix(10)) { _ = try chunk.bytes() }
            } catch {
                #expect(error is SourceError || error is CacheError)
            }
            await source.close()
            cache.close()
        }
    }
}
