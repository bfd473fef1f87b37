// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Whether bytes are what they seem to be.
enum FrameVerdict {
    /// They are; with the size of frames in free format, without a padding slot.
    case yes(Int)
    /// They are not.
    case no
    /// That cannot be told before more bytes have come.
    case needsMore
}
