// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirCRC32C
import WeirSource

/// One thing that a journal adds to its header.
enum JournalRecord: Hashable, Sendable {
    /// The bytes of a run are held, durably.
    case held(CheckedRun)
    /// The bytes of a run were written and may not be durable: held where they have these checksums.
    case provisional(CheckedRun)
    /// The bytes of a range are held no longer.
    case lost(Range<Int64>)
    /// The resource has this many bytes.
    case length(Int64)
    /// The user wants the resource kept, or no longer.
    case pinned(Bool)

    /// The kinds as they stand in the file.
    enum Kind {
        static let held: UInt8 = 1
        static let length: UInt8 = 2
        static let lost: UInt8 = 3
        static let pinned: UInt8 = 4
        static let provisional: UInt8 = 5
    }

    /// Most blocks of a run: 8 GiB, half of what a payload could hold.
    static let maximumChecksums = 1 << 17

    /// Appends the record's bytes, and moves the checksum on to its own.
    func append(to bytes: inout [UInt8], after checksum: inout Checksum) {
        let start = bytes.count
        switch self {
        case .held(let run):
            bytes.append(Kind.held)
            Self.append(run, to: &bytes)
        case .provisional(let run):
            bytes.append(Kind.provisional)
            Self.append(run, to: &bytes)
        case .lost(let range):
            bytes.append(Kind.lost)
            JournalFormat.append(UInt32(16), to: &bytes)
            Self.append(range, to: &bytes)
        case .pinned(let isPinned):
            bytes.append(Kind.pinned)
            JournalFormat.append(UInt32(1), to: &bytes)
            bytes.append(isPinned ? 1 : 0)
        case .length(let length):
            bytes.append(Kind.length)
            JournalFormat.append(UInt32(8), to: &bytes)
            JournalFormat.append(length, to: &bytes)
        }
        checksum = checksum.taking(bytes[start...])
        JournalFormat.append(checksum.value, to: &bytes)
    }

    /// Reads a payload.
    ///
    /// - Returns: `nil` for a payload that its kind cannot have, `.some(nil)` for an unknown kind.
    static func read(kind: UInt8, payload: ArraySlice<UInt8>) -> JournalRecord?? {
        let start = payload.startIndex
        switch kind {
        case 0:
            // What a file full of zeros would say.
            return nil
        case Kind.held, Kind.provisional:
            guard let range = Self.range(in: payload), payload.count.isMultiple(of: 4),
                let run = CheckedRun(range, Self.checksums(in: payload.dropFirst(16)))
            else { return nil }
            return kind == Kind.held ? .held(run) : .provisional(run)
        case Kind.lost:
            guard payload.count == 16, let range = Self.range(in: payload) else { return nil }
            return .lost(range)
        case Kind.pinned:
            guard payload.count == 1, let flag = payload.first, flag <= 1 else { return nil }
            return .pinned(flag == 1)
        case Kind.length:
            guard payload.count == 8,
                let claim = JournalFormat.integer(Int64.self, in: payload, at: start),
                let length = ResourceLength.checked(claim)
            else { return nil }
            return .length(length)
        default:
            return .some(nil)
        }
    }

    private static func append(_ run: CheckedRun, to bytes: inout [UInt8]) {
        JournalFormat.append(UInt32(16 + 4 * run.checksums.count), to: &bytes)
        Self.append(run.range, to: &bytes)
        for checksum in run.checksums { JournalFormat.append(checksum.value, to: &bytes) }
    }

    private static func append(_ range: Range<Int64>, to bytes: inout [UInt8]) {
        JournalFormat.append(range.lowerBound, to: &bytes)
        JournalFormat.append(range.upperBound, to: &bytes)
    }

    private static func range(in payload: ArraySlice<UInt8>) -> Range<Int64>? {
        let start = payload.startIndex
        guard let lower = JournalFormat.integer(Int64.self, in: payload, at: start),
            let upper = JournalFormat.integer(Int64.self, in: payload, at: start + 8),
            let range = ResourceLength.checked(from: lower, to: upper), !range.isEmpty
        else { return nil }
        return range
    }

    private static func checksums(in bytes: ArraySlice<UInt8>) -> [Checksum] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { place in
            Checksum(JournalFormat.integer(UInt32.self, in: bytes, at: place) ?? 0)
        }
    }
}

/// A record as it lies in the file: whole and sound, not yet understood.
struct RecordFrame {
    let kind: UInt8
    let payload: ArraySlice<UInt8>
    /// Where the next record starts.
    let end: Int
    /// The record's own checksum.
    let checksum: Checksum

    /// Finds the record at an offset.
    ///
    /// - Returns: `nil` where the bytes end, or hold no sound record that follows the checksum.
    init?(_ bytes: ArraySlice<UInt8>, at offset: Int, after checksum: Checksum) {
        guard let kind = JournalFormat.integer(UInt8.self, in: bytes, at: offset),
            let size = JournalFormat.integer(UInt32.self, in: bytes, at: offset + 1),
            size <= JournalFormat.maximumPayload
        else { return nil }
        let payloadEnd = offset + 5 + Int(size)
        guard let sum = JournalFormat.integer(UInt32.self, in: bytes, at: payloadEnd) else {
            return nil
        }
        let own = checksum.taking(bytes[offset..<payloadEnd])
        guard own.value == sum else { return nil }
        self.kind = kind
        self.payload = bytes[(offset + 5)..<payloadEnd]
        self.end = payloadEnd + 4
        self.checksum = own
    }
}

/// CRC-32C (RFC 3720 appendix B.4) of bytes that come in pieces.
struct Checksum: Hashable, Sendable {
    /// The checksum of everything taken so far.
    private(set) var value: UInt32

    /// Starts from nothing, or goes on from an earlier checksum.
    init(_ value: UInt32 = 0) {
        self.value = value
    }

    /// Takes more bytes.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        self.value = weir_crc32c(self.value, bytes.baseAddress, bytes.count)
    }

    /// The checksum of these bytes and of `count` bytes behind them that have the other checksum.
    func joined(with next: Checksum, count: Int64) -> Checksum {
        Checksum(weir_crc32c_joined(self.value, next.value, UInt64(clamping: count)))
    }

    /// The checksum with more bytes taken.
    func taking(_ bytes: some Collection<UInt8>) -> Checksum {
        var next = self
        let isTaken: Void? = bytes.withContiguousStorageIfAvailable { storage in
            next.take(UnsafeRawBufferPointer(storage))
        }
        if isTaken == nil { Array(bytes).withUnsafeBytes { next.take($0) } }
        return next
    }
}
