// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A song in an archive.
func source(of entry: Entry, in archive: some Archive) -> ClosureSource {
    ClosureSource(pieceLength: 65_536) {
        ResourceDescription(length: entry.size, validator: .revision(entry.hash), name: entry.name)
    } read: { range in
        try await archive.bytes(of: entry, in: range)
    }
}

/// The archive that the application already has.
protocol Archive: Sendable {
    func bytes(of entry: Entry, in range: Range<Int64>) async throws -> [UInt8]
}

struct Entry {
    /// The number of bytes in the file.
    let size: Int64
    /// The file name, without a folder.
    let name: String
    /// Changes whenever a byte changes.
    let hash: String
}
