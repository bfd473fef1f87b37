// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// What becomes of a connection's bytes, in the order of the sound; offsets are those of the station's stream.
enum FeedStep: Sendable {
    /// Bytes that follow are the beginning of a stream of this kind.
    case stretch(AudioContainer)
    /// A stream with a header begins where the next bytes lie.
    case link(AudioContainer, head: ByteMemory, headOffset: Int64)
    /// Bytes that are sound, as far as a parser can tell.
    case bytes(ByteMemory)
    /// What is said of the bytes that follow.
    case title(ICYMetadata)
    /// A packet that starts there starts at this time.
    case time(Duration, offset: Int64)
}
