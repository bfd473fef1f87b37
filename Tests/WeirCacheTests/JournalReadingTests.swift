// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Reading a journal")
struct JournalReadingTests {
    private static let key = ResourceKey(
        location: "https://example.org/a?token=x",
        account: "anna",
        display: "https://example.org/a"
    )
    private static let id = GenerationID(rawValue: 0x0123_4567_89AB_CDEF)

    private static func header(length: Int64? = nil) -> JournalHeader {
        JournalHeader(
            self.key,
            self.id,
            ResourceDescription(
                length: length,
                mediaType: .mpegAudio,
                validator: .entityTag("\"abc\""),
                name: "a.mp3",
                acceptsRanges: true
            ),
            created: 1_700_000_000_000
        )
    }

    private static func bytes(
        _ records: [JournalRecord],
        of header: JournalHeader = Self.header()
    ) throws -> [UInt8] {
        var bytes = try header.encoded()
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: bytes[...], at: bytes.count - 4) ?? 0
        )
        for record in records { record.append(to: &bytes, after: &checksum) }
        return bytes
    }

    private static let records: [JournalRecord] = [
        .held(0..<100), .held(4096..<8192), .length(10_000), .held(100..<200), .held(9000..<10_000),
    ]
    private static let held = RangeSet<Int64>([0..<200, 4096..<8192, 9000..<10_000])

    /// The object as the plain reader and as the general decoder read it.
    private static func read(_ json: some Collection<UInt8>) -> (JournalHeader?, JournalHeader?) {
        let bytes = Array(json)
        return (
            bytes.withUnsafeBytes { JournalHeader(PlainObject($0)) },
            try? JSONDecoder().decode(JournalHeader.self, from: Data(bytes))
        )
    }

    @Test("the plain reader reads the headers that the cache writes, as the general decoder does")
    func plainHeaders() throws {
        let texts = [
            "", "a", "\"abc\"", "W/\"\\\"", "Zoë/Ж/🎵", "a\u{1}b", "a\tb", "\u{2028}", "\\u0041",
        ]
        var plainCount = 0
        for text in texts {
            for number in [nil, 0, 7, -1, 999_999_999_999_999_999, Int64.max] {
                var header = Self.header(length: number)
                (header.display, header.name, header.entityTag) = (text, text, text)
                (header.lastModified, header.lastModifiedLength) = (text, number)
                (header.revision, header.freshness) = (number == nil ? nil : text, number)
                header.acceptsRanges = number.map { $0 > 0 }
                let (plain, decoded) = Self.read(try header.encoded().dropFirst(20).dropLast(4))
                #expect(decoded == header)
                #expect(plain == nil || plain == header)
                if plain != nil { plainCount += 1 }
            }
        }
        // A control character or 19 digits take the general decoder.
        #expect(plainCount == 7 * 5)
    }

    @Test(
        "objects of other forms are left to the general decoder",
        arguments: [
            " {A}", "{A} ", "{A", "{A,}", "{A]", "{A}}", "{A,\"length\":01}", "{A,\"length\":1.0}",
            "{A,\"length\":1e3}", "{A,\"length\":}", "{A,\"length\":-}", "{A,\"length\":\"1\"}",
            "{A,\"length\":null}", "{A,\"x\":1}", "{A,\"name\":[1]}", "{A,\"name\":\"\\u0041\"}",
            "{A,\"acceptsRanges\":tru}", "{A,\"acceptsRanges\":1}", "{A \"length\":1}", "{}", "",
            "{A,\"name\":\"",
            "{A,\"name\":\"\\", "{A,\"length\":12345678901234567890}",
        ]
    )
    func otherForms(form: String) {
        let members =
            "\"account\":\"\",\"created\":1,\"display\":\"d\",\"generation\":\"g\",\"resource\":\"r\""
        let (plain, _) = Self.read(form.replacing("A", with: members, maxReplacements: 1).utf8)
        #expect(plain == nil)
        let (whole, decoded) = Self.read("{\(members),\"length\":-0}".utf8)
        #expect(whole != nil && whole == decoded)
    }

    @Test("a text that is not UTF-8 is left to the general decoder")
    func notUTF8() {
        let (plain, _) = Self.read(Array("{\"account\":\"".utf8) + [0xFF] + Array("\"}".utf8))
        #expect(plain == nil)
    }

    @Test("bytes that may not be durable count piece by piece, where the data file has them")
    func provisional() throws {
        let run = CheckedRun(unchecked: 0..<200_000)
        let bytes = try Self.bytes([.held(0..<100), .provisional(run)])
        let journal = try Journal(bytes, dataSize: 200_000) { $0.block != 1 }
        #expect(journal.held == RangeSet([0..<65_536, 131_072..<200_000]))
        #expect(journal.provisional == RangeSet([100..<65_536, 131_072..<200_000]))
        #expect(journal.recordCount == 2)
        let unproven = try Journal(bytes, dataSize: 200_000)
        #expect(unproven.held == RangeSet([0..<100]))
        #expect(unproven.provisional.isEmpty)
        let short = try Journal(bytes, dataSize: 150_000) { _ in true }
        #expect(short.held == RangeSet([0..<131_072]))
        #expect(!short.hasUnprovenRuns, "it is compared again each time")
    }

    @Test(
        "durable bytes are not compared, and lost bytes or bytes past the end do not count"
    )
    func provisionalAndLater() throws {
        let run = CheckedRun(unchecked: 0..<131_072)
        let durable = try Self.bytes([.provisional(run), .held(0..<131_072)])
        let journal = try Journal(durable, dataSize: 131_072) { piece in
            Issue.record("\(piece.range) was compared")
            return false
        }
        #expect(journal.held == RangeSet([0..<131_072]))
        #expect(journal.provisional.isEmpty)
        let lost = try Self.bytes([.provisional(run), .lost(0..<10)])
        #expect(
            try Journal(lost, dataSize: 131_072) { _ in true }.held == RangeSet([65_536..<131_072])
        )
        let past = try Self.bytes([.provisional(run), .length(70_000)])
        #expect(try Journal(past, dataSize: 131_072) { _ in true }.held == RangeSet([0..<65_536]))
    }

    @Test("a written journal reads back the same, header and claims")
    func roundTrip() throws {
        let bytes = try Self.bytes(Self.records)
        let journal = try Journal(bytes, dataSize: 10_000)
        #expect(journal.header == Self.header())
        #expect(journal.held == Self.held)
        #expect(journal.length == 10_000)
        #expect(journal.recordCount == Self.records.count)
        #expect(journal.end == bytes.count)
        #expect(!journal.hasUnprovenRuns)
        var expected = ResourceDescription(
            length: nil,
            mediaType: .mpegAudio,
            validator: .entityTag("\"abc\""),
            name: "a.mp3",
            acceptsRanges: true
        )
        expected.generation = Self.id
        #expect(journal.header.description == expected)
    }

    @Test(
        "every kind of validator reads back",
        arguments: [
            Validator.entityTag("\"é \\\" x\""),
            .lastModified("Sun, 06 Nov 1994 08:49:37 GMT", length: 7),
            .revision("r/1"), nil,
        ]
    )
    func validators(_ validator: Validator?) throws {
        let header = JournalHeader(
            Self.key,
            Self.id,
            ResourceDescription(length: 7, validator: validator),
            created: 1
        )
        let journal = try Journal(Self.bytes([], of: header), dataSize: 0)
        #expect(journal.header.description.validator == validator)
        #expect(journal.length == 7)
    }

    @Test("a journal cut at any byte claims only its whole records")
    func truncations() throws {
        let headerSize = try Self.bytes([]).count
        let all = try Self.bytes(Self.records)
        for count in 0..<all.count {
            let part = Array(all[..<count])
            guard count >= headerSize else {
                #expect(throws: JournalError.self) { try Journal(part, dataSize: 10_000) }
                continue
            }
            let journal = try Journal(part, dataSize: 10_000)
            #expect(Self.held.isSuperset(of: journal.held))
            #expect(journal.end <= count)
            #expect(journal.recordCount < Self.records.count)
        }
    }

    @Test("with any byte changed, a journal is refused, or claims no more than the unchanged one")
    func corruptions() throws {
        let headerSize = try Self.bytes([]).count
        let all = try Self.bytes(Self.records)
        for place in all.indices {
            for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF] as [UInt8] {
                var bytes = all
                bytes[place] ^= change
                do {
                    let journal = try Journal(bytes, dataSize: 10_000)
                    #expect(place >= headerSize, "a changed header was believed, at \(place)")
                    #expect(Self.held.isSuperset(of: journal.held), "changed at \(place)")
                    #expect(journal.end <= place, "a changed record was believed, at \(place)")
                } catch {
                    #expect(place < headerSize, "changed at \(place): \(error)")
                    if case .newerFormat = error {
                        Issue.record("a changed byte \(place) made a newer version")
                    }
                }
            }
        }
    }

    @Test("random bytes after the header, or instead of it, do no harm", arguments: [1, 2, 3])
    func noise(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let start = try Self.bytes([.held(0..<5)])
        for round in 0..<200 {
            let count = Int.random(in: 0..<300, using: &generator)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let journal = try Journal(start + noise, dataSize: 10_000)
            #expect(journal.held == RangeSet([0..<5]), "seed \(seed), round \(round)")
            let cut = Int.random(in: 0..<start.count, using: &generator)
            #expect(throws: JournalError.self) {
                try Journal(Array(start[..<cut].prefix(12)) + noise, dataSize: 10_000)
            }
        }
    }

    @Test("a torn record ends the journal, whatever follows")
    func tornInTheMiddle() throws {
        var bytes = try Self.bytes([.held(0..<10)])
        let end = bytes.count
        let whole = try Self.bytes([.held(0..<10), .held(10..<20), .held(20..<30)])
        bytes = whole
        bytes[end + 7] ^= 1
        let journal = try Journal(bytes, dataSize: 100)
        #expect(journal.held == RangeSet([0..<10]))
        #expect(journal.end == end)
    }

    @Test("a sound record of another journal ends the journal")
    func foreignRecord() throws {
        var other = Self.header()
        other.generation = GenerationID(rawValue: 2).description
        let foreign = try Self.bytes([.held(0..<50)], of: other)
        let foreignHeader = try Self.bytes([], of: other).count
        let own = try Self.bytes([.held(0..<10)])
        let journal = try Journal(own + foreign[foreignHeader...], dataSize: 100)
        #expect(journal.held == RangeSet([0..<10]))
        #expect(journal.end == own.count)
    }

    @Test("a missing or repeated record ends the journal")
    func missingRecord() throws {
        let one = try Self.bytes([.held(0..<10)])
        let three = try Self.bytes([.held(0..<10), .held(20..<30), .held(40..<50)])
        let size = (three.count - one.count) / 2
        let withoutSecond = Array(three[..<one.count] + three[(one.count + size)...])
        #expect(try Journal(withoutSecond, dataSize: 100).held == RangeSet([0..<10]))
        let twice = Array(one + one.suffix(size))
        #expect(try Journal(twice, dataSize: 100).recordCount == 1)
    }

    @Test("an unknown kind of record is skipped")
    func unknownKind() throws {
        var bytes = try Self.bytes([.held(0..<10)])
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: bytes[...], at: bytes.count - 4) ?? 0
        )
        var unknown: [UInt8] = [77]
        JournalFormat.append(UInt32(3), to: &unknown)
        unknown += [1, 2, 3]
        checksum = checksum.taking(unknown)
        JournalFormat.append(checksum.value, to: &unknown)
        bytes += unknown
        JournalRecord.held(10..<20).append(to: &bytes, after: &checksum)
        let journal = try Journal(bytes, dataSize: 100)
        #expect(journal.held == RangeSet([0..<20]))
        #expect(journal.recordCount == 3)
        #expect(journal.end == bytes.count)
    }

    @Test("a later version is distinguished from damage")
    func newerVersion() throws {
        var bytes = Array(JournalFormat.magic)
        JournalFormat.append(JournalFormat.version + 1, to: &bytes)
        JournalFormat.append(Checksum().taking(bytes).value, to: &bytes)
        bytes += [1, 2, 3]
        #expect(throws: JournalError.newerFormat(version: JournalFormat.version + 1, offset: 8)) {
            try Journal(bytes, dataSize: 100)
        }
    }

    @Test(
        "impossible records end the journal: past the length, another length, backwards, of no size"
    )
    func impossibleRecords() throws {
        let past = try Self.bytes([.held(0..<10), .held(50..<101)], of: Self.header(length: 100))
        #expect(try Journal(past, dataSize: 200).held == RangeSet([0..<10]))
        let other = try Self.bytes([.length(101), .held(0..<10)], of: Self.header(length: 100))
        #expect(try Journal(other, dataSize: 200).held.isEmpty)
        let tooShort = try Self.bytes([.held(0..<10), .length(9), .held(10..<20)])
        let journal = try Journal(tooShort, dataSize: 200)
        #expect(journal.held == RangeSet([0..<10]))
        #expect(journal.length == nil)
        let negative = try Self.bytes([.length(-1), .held(0..<10)])
        #expect(try Journal(negative, dataSize: 200).held.isEmpty)
        let empty = try Self.bytes([.lost(5..<5), .held(0..<10)])
        #expect(try Journal(empty, dataSize: 200).held.isEmpty)
        let before = try Self.bytes([.lost(-5..<5), .held(0..<10)])
        #expect(try Journal(before, dataSize: 200).held.isEmpty)
    }

    @Test("a run with missing, surplus or cut checksums ends the journal")
    func wrongChecksumCount() throws {
        for count in 0..<20 where count != 12 {
            var bytes = try Self.bytes([])
            let start = bytes.count
            var checksum = Checksum(
                JournalFormat.integer(UInt32.self, in: bytes[...], at: start - 4) ?? 0
            )
            bytes.append(JournalRecord.Kind.held)
            JournalFormat.append(UInt32(16 + count), to: &bytes)
            JournalFormat.append(Int64(65_535), to: &bytes)
            JournalFormat.append(Int64(131_073), to: &bytes)
            bytes += [UInt8](repeating: 7, count: count)
            checksum = checksum.taking(bytes[start...])
            JournalFormat.append(checksum.value, to: &bytes)
            #expect(try Journal(bytes, dataSize: 200_000).end == start, "\(count) bytes")
        }
    }

    @Test("checksums are read back, and joined where parts of a block touch")
    func checksums() throws {
        let content = PatternBytes.bytes(in: 0..<200_000)
        var expected = BlockChecksums()
        var records: [JournalRecord] = []
        for range in [10..<70_000, 70_000..<100_000, 150_000..<150_001, 0..<10] as [Range<Int64>] {
            let pieces = content[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes {
                BlockPiece.pieces(of: $0, at: range)
            }
            for piece in pieces { expected.insert(piece) }
            records.append(.held(try #require(CheckedRun(pieces))))
        }
        let journal = try Journal(Self.bytes(records), dataSize: 200_000)
        #expect(journal.held == RangeSet([0..<100_000, 150_000..<150_001]))
        let whole = journal.checksums.pieces(in: 0..<200_000)
        #expect(whole == expected.pieces(in: 0..<200_000))
        #expect(whole.first?.checksum == Checksum().taking(content[..<65_536]))
        #expect(whole.count == 3)
    }

    @Test("a loss removes the whole piece, which can be held again")
    func losses() throws {
        let bytes = try Self.bytes([
            .held(0..<200_000), .lost(70_000..<70_001), .held(65_536..<65_546),
            .lost(500_000..<1 << 62),
        ])
        let journal = try Journal(bytes, dataSize: 200_000)
        #expect(journal.held == RangeSet([0..<65_546, 131_072..<200_000]))
        #expect(journal.end == bytes.count)
    }

    @Test("a run past the end of the data file is left out, and marked as unproven")
    func shortDataFile() throws {
        let bytes = try Self.bytes([.held(0..<5), .held(20..<30), .held(5..<10)])
        let journal = try Journal(bytes, dataSize: 29)
        #expect(journal.held == RangeSet([0..<10]))
        #expect(journal.hasUnprovenRuns)
        #expect(journal.recordCount == 3)
    }

    @Test("zeros after the records, as a power cut leaves them, end the journal")
    func zeros() throws {
        let bytes = try Self.bytes([.held(0..<10)])
        let journal = try Journal(bytes + [UInt8](repeating: 0, count: 4096), dataSize: 100)
        #expect(journal.held == RangeSet([0..<10]))
        #expect(journal.end == bytes.count)
    }

    @Test("sizes beyond all bounds are refused")
    func hugeSizes() throws {
        var bytes = Array(try Self.bytes([])[..<16])
        JournalFormat.append(UInt32.max, to: &bytes)
        #expect(throws: JournalError.tooLong(offset: 16)) { try Journal(bytes, dataSize: 0) }
        var record = try Self.bytes([])
        let end = record.count
        record.append(1)
        JournalFormat.append(UInt32.max, to: &record)
        #expect(try Journal(record, dataSize: 0).end == end)
    }

    @Test("a hundred thousand runs in any order are read")
    func manyRuns() throws {
        var generator = SeededGenerator(seed: 11)
        let runs = (0..<100_000).map { Int64($0) * 10..<Int64($0) * 10 + 5 }
        let bytes = try Self.bytes(runs.shuffled(using: &generator).map(JournalRecord.held))
        let journal = try Journal(bytes, dataSize: 1_000_000)
        #expect(journal.held.ranges.count == 100_000)
        #expect(journal.held.byteCount == 500_000)
    }
}
