// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a header in free format has been followed, where that ended for want of bytes.
///
/// What was looked at before cannot come out otherwise with more bytes, and is not looked at again: else a stream that
/// comes byte by byte would be looked through thousands of times.
struct FrameFreeScan: Sendable {
    /// Where the header is in the stream.
    var offset: Int64
    /// The first size that has not been ruled out, in bytes.
    var size: Int
    /// The first place behind the header, counted from it, where an ordinary frame has not been ruled out.
    var disproved = 1
}
