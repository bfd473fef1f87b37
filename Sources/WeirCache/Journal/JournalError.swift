// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no journal that this version can read.
///
/// Each `offset` counts from the file's start.
enum JournalError: Error, Hashable, Sendable {
    /// The file ends within the prologue or the header.
    case truncated(offset: Int)
    /// The first bytes are not a journal's.
    case notAJournal(offset: Int)
    /// A checksum of the prologue or the header is wrong, or the header makes no sense.
    case damaged(offset: Int)
    /// The header claims to be longer than any is.
    case tooLong(offset: Int)
    /// A later version wrote it.
    case newerFormat(version: UInt32, offset: Int)
}
