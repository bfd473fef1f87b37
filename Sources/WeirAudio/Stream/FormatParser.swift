// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of one format: takes from a window what it can.
protocol FormatParser: Sendable {
    /// Goes on.
    ///
    /// What comes out depends on the bytes alone, never on how they were cut into chunks.
    ///
    /// - Parameter window: the stream from where this parser left off.
    /// - Returns: the next event; `nil` when more bytes are needed, or, at the end of the stream, when there is nothing
    ///   more. Once `nil` was returned at the end it stays `nil`.
    /// - Throws: what cannot be got over; the parser is not asked again.
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent?

    /// What comes next is not what followed: after a seek, a join, a lost piece.
    ///
    /// - Parameter start: when the next packet starts, for formats that cannot tell by themselves; `nil`: time goes on
    ///   as if nothing were missing.
    mutating func discontinued(start: SampleCount?)

    /// How to find the byte for a time, as far as known by now.
    ///
    /// - Parameter length: of the stream in bytes, if known.
    /// - Returns: `nil` before that is known.
    func seekMap(length: Int64?) -> SeekMap?

    /// A tag stood before the first byte of this format.
    mutating func noticed(_ tags: AudioTags)
}

extension FormatParser {
    mutating func noticed(_: AudioTags) {}
}
