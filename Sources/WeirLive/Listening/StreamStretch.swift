// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAudio

/// The beginning of a stretch of bytes that follow each other without a gap.
package struct StreamStretch: Sendable {
    /// Why it begins.
    package enum Cause: Hashable, Sendable {
        /// The listener has just come.
        case joined
        /// A new connection after the loss of the one before.
        case reconnected(StationLoss?)
        /// The listener moved in what is kept.
        case moved
        /// The listener was so slow that what it was to get is no longer kept.
        case fellBehind
    }

    /// Why it begins.
    package var cause: Cause
    /// What the station says of itself.
    package var info: StationInfo
    /// What the stream is, where it was found already; `nil`: the parser finds out, with ``StationInfo/mediaType``.
    package var container: AudioContainer?
    /// What a parser needs before the bytes make sense to it: the header pages of an Ogg stream.
    ///
    /// They are to be pushed first, and are at ``headOffset``; then the parser jumps to ``offset`` where that does not
    /// follow. Empty for streams that can be joined anywhere.
    package var head: ByteMemory
    /// Where the head lies in the stream.
    package var headOffset: Int64
    /// Where the first byte that follows lies in the stream, counted over all connections.
    package var offset: Int64
    /// What the station said last of the sound before, which goes for this, too.
    package var metadata: ICYMetadata?
    /// The format of the packets that follow, where a reader of packets joins behind its place.
    package var format: AudioFormat?
    /// The tags that go for them.
    package var tags: AudioTags?
    /// How much sound is lost between the bytes before and these, as far as known; zero where nothing is.
    package var gap: Duration

    /// A stretch.
    package init(
        cause: Cause,
        info: StationInfo,
        container: AudioContainer? = nil,
        head: ByteMemory = .empty,
        headOffset: Int64 = 0,
        offset: Int64 = 0,
        metadata: ICYMetadata? = nil,
        gap: Duration = .zero
    ) {
        self.cause = cause
        self.info = info
        self.container = container
        self.head = head
        self.headOffset = headOffset
        self.offset = offset
        self.metadata = metadata
        self.gap = gap
    }
}

/// What a parser finds between packets.
package enum StreamSign: Hashable, Sendable {
    /// The packets that follow are of this format.
    case format(AudioFormat)
    /// Tags of the sound that follows, without pictures.
    case tags(AudioTags)
    /// Bytes were passed over.
    case trouble(AudioStreamTrouble)

    /// How many bytes of the stream it holds, about.
    var byteCount: Int {
        switch self {
        case .format(let format): format.configuration.count
        case .tags(let tags):
            tags.fields.reduce(0) { sum, field in
                field.values.reduce(sum + field.name.utf8.count) { $0 + $1.utf8.count }
            }
        case .trouble: 0
        }
    }
}
