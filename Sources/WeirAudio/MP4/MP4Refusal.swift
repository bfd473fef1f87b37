// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a track cannot be played.
struct MP4Refusal: Error {
    /// A sentence without its full stop.
    var reason: String
}
