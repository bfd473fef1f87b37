// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// What a listener of a station gets, in the order of the sound.
public enum StationPiece: Sendable {
    /// The bytes that follow are from another place of the stream than those before: a new connection, or the listener
    /// moved, or was too slow and lost some. A new parser is to be made for them.
    case stretch(StreamStretch)
    /// Bytes of sound, without titles.
    case audio(ByteMemory)
    /// What the station says of the sound that comes next.
    case metadata(ICYMetadata)
}
