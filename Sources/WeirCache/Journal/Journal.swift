// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The content of a journal, as far as its bytes prove it.
///
/// Pure: bytes in, claims out. For any bytes, reading neither traps nor claims a byte that no sound
/// record claims.
struct Journal: Sendable {
    /// The journal's fixed header.
    let header: JournalHeader
    /// The length of the resource in bytes, from the header or a later record.
    let length: Int64?
    /// The held bytes.
    let held: RangeSet<Int64>
    /// The held bytes that were written and compared, but may not be durable.
    let provisional: RangeSet<Int64>
    /// The checksums of all held bytes.
    let checksums: BlockChecksums
    /// Whether the user wants the resource kept, whatever the limits are.
    let isPinned: Bool
    /// The number of records, including those of unknown kinds.
    let recordCount: Int
    /// The end of the last sound record, where the next one starts.
    let end: Int
    /// The checksum from which the next record continues.
    let checksum: Checksum
    /// Whether a part of a run was left out because it reaches past the end of the data file.
    ///
    /// The journal must then be rewritten before the data file grows, so that this part does not
    /// seem valid again.
    let hasUnprovenRuns: Bool

    /// Reads a journal.
    ///
    /// Takes time in proportion to the bytes, plus the time to sort the blocks.
    ///
    /// - Parameters:
    ///   - bytes: the file from its start.
    ///   - dataSize: the size of the data file in bytes; a piece of a run that reaches past it is
    ///     left out.
    ///   - isSound: whether the data file holds the bytes of a piece that may not be durable.
    /// - Throws: ``JournalError`` if the header cannot be read.
    init(
        _ bytes: [UInt8],
        dataSize: Int64,
        isSound: (BlockPiece) -> Bool = { _ in false }
    ) throws(JournalError) {
        let all = bytes[...]
        let (header, headerEnd) = try Self.header(of: all)
        var end = headerEnd
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: all, at: headerEnd - 4) ?? 0
        )
        var length = header.length
        var checksums = BlockChecksums()
        var written = BlockChecksums()
        var highest: Int64 = 0
        var isPinned = false
        var recordCount = 0
        var hasUnprovenRuns = false

        records: while let frame = RecordFrame(all, at: end, after: checksum) {
            guard let read = JournalRecord.read(kind: frame.kind, payload: frame.payload) else {
                break records
            }
            switch read {
            case .held(let run):
                let upper = run.range.upperBound
                if let length, upper > length { break records }
                highest = max(highest, upper)
                if upper > dataSize { hasUnprovenRuns = true }
                for piece in run.pieces where piece.range.upperBound <= dataSize {
                    checksums.insert(piece)
                }
            case .provisional(let run):
                for piece in run.pieces where piece.range.upperBound <= dataSize {
                    written.insert(piece)
                }
            case .lost(let range):
                // Visit only blocks that can exist, whatever the record says.
                checksums.remove(range.clamped(to: 0..<highest))
                written.remove(range.clamped(to: 0..<dataSize))
            case .length(let told):
                guard length == nil || length == told, highest <= told else { break records }
                length = told
            case .pinned(let isWanted):
                isPinned = isWanted
            case nil:
                break
            }
            recordCount += 1
            end = frame.end
            checksum = frame.checksum
        }

        let durable = checksums.held
        var provisional = RangeSet<Int64>()
        for piece in written.pieces
        where durable.firstMissing(in: piece.range) != nil
            && piece.range.upperBound <= length ?? .max && isSound(piece)
        {
            checksums.insert(piece)
            provisional.insert(contentsOf: piece.range)
        }
        if !provisional.isEmpty { provisional.subtract(durable) }

        self.header = header
        self.length = length
        self.held = provisional.isEmpty ? durable : checksums.held
        self.provisional = provisional
        self.checksums = checksums
        self.isPinned = isPinned
        self.recordCount = recordCount
        self.end = end
        self.checksum = checksum
        self.hasUnprovenRuns = hasUnprovenRuns
    }

    /// Reads the version of a journal from its prologue.
    static func version(of bytes: ArraySlice<UInt8>) throws(JournalError) -> UInt32 {
        let start = bytes.startIndex
        let known = bytes.prefix(JournalFormat.magic.count)
        guard JournalFormat.magic.starts(with: known) else { throw .notAJournal(offset: 0) }
        guard let version = JournalFormat.integer(UInt32.self, in: bytes, at: start + 8),
            let sum = JournalFormat.integer(UInt32.self, in: bytes, at: start + 12)
        else { throw .truncated(offset: bytes.count) }
        guard Checksum().taking(bytes.prefix(12)).value == sum else { throw .damaged(offset: 12) }
        guard version <= JournalFormat.version else {
            throw .newerFormat(version: version, offset: 8)
        }
        guard version > 0 else { throw .damaged(offset: 8) }
        return version
    }

    private static func header(
        of bytes: ArraySlice<UInt8>
    ) throws(JournalError) -> (JournalHeader, end: Int) {
        _ = try self.version(of: bytes)
        let start = JournalFormat.prologueSize
        guard let size = JournalFormat.integer(UInt32.self, in: bytes, at: start) else {
            throw .truncated(offset: bytes.count)
        }
        guard size <= JournalFormat.maximumPayload else { throw .tooLong(offset: start) }
        let end = start + 4 + Int(size)
        guard let sum = JournalFormat.integer(UInt32.self, in: bytes, at: end) else {
            throw .truncated(offset: bytes.count)
        }
        guard Checksum().taking(bytes[..<end]).value == sum else { throw .damaged(offset: end) }
        do {
            let header = try JournalHeader(json: bytes[(start + 4)..<end])
            for length in [header.length, header.lastModifiedLength].compactMap(\.self) {
                guard ResourceLength.checked(length) != nil else {
                    throw JournalError.damaged(offset: start)
                }
            }
            return (header, end + 4)
        } catch {
            throw .damaged(offset: start)
        }
    }
}

/// Why bytes are not a journal that this version can read.
///
/// Each `offset` counts from the file's start.
enum JournalError: Error, Hashable, Sendable {
    /// The file ends within the prologue or the header.
    case truncated(offset: Int)
    /// The file does not start with the first bytes of a journal.
    case notAJournal(offset: Int)
    /// A checksum of the prologue or the header is wrong, or the header is invalid.
    case damaged(offset: Int)
    /// The header claims to be longer than the maximum.
    case tooLong(offset: Int)
    /// A later version wrote the journal.
    case newerFormat(version: UInt32, offset: Int)
}
