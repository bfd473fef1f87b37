// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a ring's disk cannot be used.
struct RingDiskError: Error, Hashable {
    /// One sentence for a person.
    var message: String
}
