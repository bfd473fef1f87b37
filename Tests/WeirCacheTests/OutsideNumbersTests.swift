// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

/// The entry points of WeirCache that take lengths, offsets, counts and times from outside.
///
/// These are journals, file names, the catalogue, limits, and a loader's description of an origin. Each call
/// returns or throws; none traps, which would end the tests.
@Suite("Numbers from outside, in the cache")
struct OutsideNumbersTests {
    private static let numbers = OutsideNumbers.all
    /// Short ranges, so that each call handles only a few blocks.
    private static let ranges: [Range<Int64>] = numbers.flatMap { end in
        [1, 11, 65_536, 65_537, 200_000].compactMap { (count: Int64) in
            let lower = end.subtractingClamped(count)
            return lower >= 0 && lower < end ? lower..<end : nil
        }
    }

    @Test("ranges are cut into blocks up to the last below 2^63")
    func blocks() {
        for range in Self.ranges {
            let parts = BlockPiece.ranges(in: range)
            #expect(parts.count == BlockPiece.count(in: range))
            #expect(parts.first?.lowerBound == range.lowerBound)
            #expect(parts.last?.upperBound == range.upperBound)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        }
        for lower in OutsideNumbers.natural {
            for upper in OutsideNumbers.natural where lower <= upper {
                #expect(BlockPiece.count(in: lower..<upper) >= 0)
            }
        }
    }

    @Test("checksums of two pieces are joined for any claimed length of the second")
    func checksums() {
        for count in Self.numbers { _ = Checksum(1).joined(with: Checksum(2), count: count) }
    }

    /// A journal with the given records and valid checksums.
    private static func journal(
        header: (inout JournalHeader) -> Void = { _ in },
        _ records: [(kind: UInt8, numbers: [Int64], checksumCount: Int)]
    ) throws -> [UInt8] {
        var content = JournalHeader(
            ResourceKey(location: "a", account: "", display: "a"),
            GenerationID(rawValue: 1),
            ResourceDescription(length: nil),
            created: 0
        )
        header(&content)
        var bytes = try content.encoded()
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: bytes[...], at: bytes.count - 4) ?? 0
        )
        for record in records {
            let start = bytes.count
            bytes.append(record.kind)
            JournalFormat.append(
                UInt32(8 * record.numbers.count + 4 * record.checksumCount),
                to: &bytes
            )
            for number in record.numbers { JournalFormat.append(number, to: &bytes) }
            for _ in 0..<record.checksumCount { JournalFormat.append(UInt32(0), to: &bytes) }
            checksum = checksum.taking(bytes[start...])
            JournalFormat.append(checksum.value, to: &bytes)
        }
        return bytes
    }

    /// Uses all data of a journal, as a cache does when it opens one.
    private static func use(_ bytes: [UInt8]) {
        for dataSize in [0, 1 << 20, Int64.max] {
            guard let journal = try? Journal(bytes, dataSize: dataSize) else { continue }
            #expect(journal.held.ranges.allSatisfy { $0.upperBound <= ResourceLength.maximum })
            #expect(journal.length.map { ResourceLength.checked($0) != nil } ?? true)
            var description = journal.header.description
            description.length = journal.length
            var state = GenerationState(description: description, journal: journal)
            for number in Self.numbers {
                _ = state.readable(at: number, before: .max)
                _ = state.firstUnchecked(in: max(0, number)..<Int64.max)
                _ = state.nextMissing(in: max(0, number)..<Int64.max)
                _ = state.checksums.pieces(in: max(0, number)..<Int64.max)
                if state.held.contains(number) { _ = state.uncheckedPiece(at: number) }
            }
            _ = state.records
            _ = state.startedCheckpoint(recordCount: .max / 2)
            _ = CatalogueRow(journal, lastUse: journal.header.created, isChanging: false)?.resource
        }
    }

    @Test("a journal with sound checksums may hold any claims, losses and lengths")
    func journals() throws {
        for first in Self.numbers {
            Self.use(try Self.journal([(JournalRecord.Kind.length, [first], 0)]))
            for second in Self.numbers {
                Self.use(
                    try Self.journal([
                        (JournalRecord.Kind.held, [first, second], 1),
                        (JournalRecord.Kind.lost, [first, second], 0),
                        (JournalRecord.Kind.length, [second], 0),
                    ])
                )
            }
        }
        for range in Self.ranges {
            Self.use(
                try Self.journal([
                    (
                        JournalRecord.Kind.held, [range.lowerBound, range.upperBound],
                        BlockPiece.count(in: range)
                    )
                ])
            )
        }
    }

    @Test("the journal that once ended the process claims nothing")
    func lastBlock() throws {
        let lower = Int64.max - 10
        let bytes = try Self.journal([(JournalRecord.Kind.held, [lower, .max], 1)])
        #expect(try Journal(bytes, dataSize: .max).held.isEmpty)
    }

    @Test("a journal's header may hold any numbers")
    func headers() throws {
        for number in Self.numbers {
            Self.use(
                try Self.journal(
                    header: {
                        ($0.created, $0.length) = (number, nil)
                        ($0.lastModified, $0.lastModifiedLength) = ("x", number)
                    },
                    []
                )
            )
            let bytes = try Self.journal(header: { $0.length = number }, [])
            Self.use(bytes)
            #expect(
                ((try? Journal(bytes, dataSize: 0)) != nil)
                    == (ResourceLength.checked(number) != nil)
            )
        }
    }

    @Test("a generation is written, measured and read at any offset")
    func generations() throws {
        let bench = try CacheBench()
        for length in [nil, 100, ResourceLength.maximum] as [Int64?] {
            let generation = try bench.cache.create(
                CacheBench.key(),
                description: ResourceDescription(length: length, validator: .entityTag("\"1\"")),
                persistent: true
            )
            try generation.write(pattern: 0..<50)
            for number in Self.numbers {
                _ = generation.slice(.from(number))
                _ = generation.slice(.suffix(number))
                _ = generation.holds(0..<max(0, number))
                for end in Self.numbers {
                    if number <= end { _ = generation.slice(.span(number..<end)) }
                    _ = generation.slice(at: number, before: end)
                    _ = try generation.checkedSlice(at: number, before: end)
                }
                // The test skips offsets that a file system may accept. At other offsets, the file system's error is as
                // good as the cache's.
                guard !(0...(1 << 53) + 2).contains(number) else { continue }
                #expect(throws: CacheError.self) {
                    try generation.write(ByteMemory([1, 2, 3]), at: number)
                }
            }
            bench.work.runAll()
            generation.release()
            bench.work.runAll()
        }
    }

    @Test("no generation is made or measured with an impossible length")
    func lengths() throws {
        let bench = try CacheBench()
        for number in Self.numbers {
            let isLength = ResourceLength.checked(number) != nil
            let made = try? bench.cache.create(
                CacheBench.key(),
                description: ResourceDescription(length: number, validator: .entityTag("\"1\"")),
                persistent: true
            )
            #expect((made != nil) == isLength)
            made?.release()
            let open = try bench.cache.create(
                CacheBench.key(2),
                description: ResourceDescription(length: nil, validator: .entityTag("\"1\"")),
                persistent: true
            )
            #expect(((try? open.setLength(number)) != nil) == isLength)
            open.release()
            bench.work.runAll()
        }
        bench.cache.close()
    }

    @Test("limits may be any numbers")
    func limits() throws {
        let bench = try CacheBench()
        for number in Self.numbers {
            try bench.keep(1, 0..<100)
            bench.files.pretendFree(number)
            for limits in [
                CacheLimits(byteCount: number), CacheLimits(resourceCount: Int(number)),
                CacheLimits(age: .seconds(number)), CacheLimits(reserve: number),
                CacheLimits(age: .milliseconds(number), reserve: 0),
            ] {
                bench.cache.limits = limits
                bench.work.runAll()
            }
        }
    }

    @Test("rows of the catalogue may hold any numbers")
    func catalogue() {
        for heldCount in OutsideNumbers.natural {
            for time in Self.numbers {
                let known = (1...3).map { number in
                    KnownGeneration(
                        id: ResourceID(high: 0, low: UInt64(number)),
                        generation: GenerationID(rawValue: .max),
                        heldCount: heldCount,
                        lastUse: time,
                        confirmed: time,
                        isPinned: false,
                        isChanging: false
                    )
                }
                var state = Cache.State(
                    known,
                    limits: CacheLimits(byteCount: 10, age: .seconds(1), reserve: heldCount),
                    newest: GenerationID(rawValue: .max)
                )
                state.freeByteCount = time
                state.index.addBytes(heldCount, to: known[0].id, known[0].generation)
                state.index.touch(known[1].id, at: time)
                _ = state.wants(.strict, at: time)
                _ = state.evict(at: time)
            }
        }
    }

    @Test("a row's time of confirmation may hold any number, and so may the clock")
    func times() throws {
        var sequence = GenerationSequence(after: .max)
        for number in Self.numbers {
            _ = sequence.next(at: number, chance: .max)
            sequence.skip(GenerationID(rawValue: UInt64(bitPattern: number)))
        }
        let directory = TemporaryDirectory()
        for number in Self.numbers {
            let cache = try Cache(
                directory: directory.path,
                limits: CacheLimits(),
                observer: nil,
                files: PosixFiles(),
                work: ManualWork(),
                now: { number }
            )
            let generation = try cache.create(
                CacheBench.key(),
                description: ResourceDescription(length: 10, validator: .entityTag("\"1\"")),
                persistent: true
            )
            _ = generation.timeSinceConfirmation
            generation.confirm()
            _ = generation.timeSinceConfirmation
            generation.release()
            _ = try cache.resources()
            cache.close()
        }
    }

    @Test("file names may hold any number")
    func names() {
        for number in Self.numbers {
            let id = GenerationID(rawValue: UInt64(bitPattern: number))
            let resource = ResourceID(high: .max, low: UInt64(bitPattern: number))
            let name = StoredFileName(resource, id, .data)
            #expect(StoredFileName(name.description) == name)
            var survey = DirectorySurvey()
            survey.found(name)
            _ = survey.plan(known: [])
        }
    }
}
