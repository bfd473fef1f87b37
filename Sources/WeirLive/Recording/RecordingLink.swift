// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A logical stream of Ogg that is recorded.
struct RecordingLink: Sendable {
    /// Where it begins, or where it was joined.
    var start: Int64
    /// Whether its header pages were given with the stretch, and do not lie in its bytes.
    var hasHead = false
    /// Whether its first packet of sound has come, and with it its file.
    var isAudio = false
    /// Its pages before that.
    var pages: [Int64] = []
}
