// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirCRC32C
import WeirSource

/// A change that a journal records after its header.
enum JournalRecord: Hashable, Sendable {
    /// The bytes of a run are held and durable.
    case held(CheckedRun)
    /// The bytes of a run were written, but may not be durable: they are held if they match these
    /// checksums.
    case provisional(CheckedRun)
    /// The bytes of a range are no longer held.
    case lost(Range<Int64>)
    /// The resource has this many bytes.
    case length(Int64)
    /// Whether the user wants the resource kept.
    case pinned(Bool)

    /// The kinds as bytes of the file.
    enum Kind {
        static let held: UInt8 = 1
        static let length: UInt8 = 2
        static let lost: UInt8 = 3
        static let pinned: UInt8 = 4
        static let provisional: UInt8 = 5
    }

    /// The maximum number of blocks in a run: 8 GiB, half of the maximum payload.
    static let maximumChecksums = 1 << 17

    /// Appends the record's bytes, and sets the checksum to the record's own.
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
            // A file full of zeros.
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

/// A complete and sound record in the file, before its payload is read.
struct RecordFrame {
    let kind: UInt8
    let payload: ArraySlice<UInt8>
    /// The offset of the next record.
    let end: Int
    /// The record's own checksum.
    let checksum: Checksum

    /// Finds the record at an offset.
    ///
    /// - Returns: `nil` at the end of the bytes, or if there is no sound record that continues the
    ///   checksum.
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

/// CRC-32C (RFC 3720 appendix B.4) of bytes that arrive in pieces.
struct Checksum: Hashable, Sendable {
    /// The checksum of all bytes so far.
    private(set) var value: UInt32

    /// Starts from nothing, or continues from an earlier checksum.
    init(_ value: UInt32 = 0) {
        self.value = value
    }

    /// Adds bytes.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        self.value = weir_crc32c(self.value, bytes.baseAddress, bytes.count)
    }

    /// The checksum of these bytes followed by `count` bytes with the other checksum.
    func joined(with next: Checksum, count: Int64) -> Checksum {
        Checksum(weir_crc32c_joined(self.value, next.value, UInt64(clamping: count)))
    }

    /// Returns the checksum with more bytes added.
    func taking(_ bytes: some Collection<UInt8>) -> Checksum {
        var next = self
        let isTaken: Void? = bytes.withContiguousStorageIfAvailable { storage in
            next.take(UnsafeRawBufferPointer(storage))
        }
        if isTaken == nil { Array(bytes).withUnsafeBytes { next.take($0) } }
        return next
    }
}
