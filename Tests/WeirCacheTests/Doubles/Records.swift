// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

@testable import WeirCache

extension JournalRecord {
    /// A claim whose checksums are all 0.
    static func held(_ range: Range<Int64>) -> JournalRecord {
        let run = CheckedRun(unchecked: range)
        return .held(run)
    }
}

extension CheckedRun {
    /// A run whose checksums are all 0.
    init(unchecked range: Range<Int64>) {
        let checksums = BlockPiece.ranges(in: range).map { _ in Checksum() }
        guard let run = CheckedRun(range, checksums) else { fatalError("no run is \(range)") }
        self = run
    }
}

extension GenerationState {
    /// Writes bytes whose checksums are all 0.
    mutating func wrote(_ range: Range<Int64>) -> CheckpointDemand? {
        self.wrote(
            range,
            BlockPiece.ranges(in: range).map { BlockPiece(range: $0, checksum: Checksum()) }
        )
    }
}

extension JournalHeader {
    /// The bytes of a journal that claims nothing.
    static var sample: [UInt8] {
        let key = ResourceKey(location: "https://example.org/a", account: "", display: "a")
        let header = JournalHeader(
            key,
            GenerationID(rawValue: 1),
            ResourceDescription(length: nil),
            created: 0
        )
        guard let bytes = try? header.encoded() else {
            fatalError("a header of plain text is encoded")
        }
        return bytes
    }
}
