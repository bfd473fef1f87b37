// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAudio

/// The beginning of a stretch of bytes that follow each other without a gap.
package struct StreamStretch: Sendable {
    /// Why it begins.
    package enum Cause: Hashable, Sendable {
        /// The listener has just joined.
        case joined
        /// A new connection after the loss of the one before.
        case reconnected(StationError?)
        /// The listener moved in the kept stream.
        case moved
        /// The listener was so slow that its next bytes are no longer kept.
        case fellBehind
    }

    /// Why it begins.
    package var cause: Cause
    /// The station's facts about itself.
    package var info: StationInfo
    /// The stream's container if it is known; `nil`: the parser finds it, with
    /// ``StationInfo/mediaType``.
    package var container: AudioContainer?
    /// The bytes that a parser needs first, such as the header pages of an Ogg stream.
    ///
    /// Push them first, at ``headOffset``. Then let the parser jump to ``offset``, unless that is
    /// the end of the header. Empty for streams that can be joined anywhere.
    package var head: ByteMemory
    /// The head's offset in the stream.
    package var headOffset: Int64
    /// The offset of the first following byte in the stream, counted over all connections.
    package var offset: Int64
    /// The station's last metadata before this stretch, which also applies to it.
    package var metadata: ICYMetadata?
    /// The format of the following packets, for a reader of packets that joins after it was
    /// announced.
    package var format: AudioFormat?
    /// The tags of the following packets, for the same kind of reader.
    package var tags: AudioTags?
    /// How much sound is lost between the previous bytes and these, as far as known; zero when
    /// nothing is lost.
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

/// A parser's finding between packets.
package enum StreamSign: Hashable, Sendable {
    /// The following packets have this format.
    case format(AudioFormat)
    /// Tags of the following sound, without pictures.
    case tags(AudioTags)
    /// The parser skipped bytes.
    case trouble(AudioStreamFailure)

    /// About how many bytes of memory it holds.
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
