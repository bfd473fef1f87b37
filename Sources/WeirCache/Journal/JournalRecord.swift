// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One thing that a journal adds to its header.
enum JournalRecord: Hashable, Sendable {
    /// The bytes of a range are held.
    case held(Range<Int64>)
    /// The resource has this many bytes.
    case length(Int64)

    /// The kinds as they stand in the file.
    enum Kind {
        static let held: UInt8 = 1
        static let length: UInt8 = 2
    }

    /// Appends the record's bytes, and moves the checksum on to its own.
    func append(to bytes: inout [UInt8], after checksum: inout Checksum) {
        let start = bytes.count
        switch self {
        case .held(let run):
            bytes.append(Kind.held)
            JournalFormat.append(UInt32(16), to: &bytes)
            JournalFormat.append(run.lowerBound, to: &bytes)
            JournalFormat.append(run.upperBound, to: &bytes)
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
        case Kind.held:
            guard payload.count == 16,
                let lower = JournalFormat.integer(Int64.self, in: payload, at: start),
                let upper = JournalFormat.integer(Int64.self, in: payload, at: start + 8),
                lower >= 0, lower < upper
            else { return nil }
            return .held(lower..<upper)
        case Kind.length:
            guard payload.count == 8,
                let length = JournalFormat.integer(Int64.self, in: payload, at: start), length >= 0
            else { return nil }
            return .length(length)
        default:
            return .some(nil)
        }
    }
}
