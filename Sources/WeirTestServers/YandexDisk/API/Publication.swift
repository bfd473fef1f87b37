// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A file or a folder that whoever has its key may read.
struct Publication: Sendable {
    let key: String
    let root: DiskPath
}
