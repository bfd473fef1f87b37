// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a tag says of the music: fields as they are stored, pictures, chapters.
public struct AudioTags: Hashable, Sendable {
    /// Which kind of tag it is.
    public enum Kind: String, Hashable, Sendable {
        /// The 128 bytes at the end of an MP3 file.
        case id3v1
        /// ID3 versions 2.2, 2.3 and 2.4.
        case id3v2
        /// APE, versions 1 and 2.
        case ape
        /// Lyrics3, versions 1 and 2.
        case lyrics3
        /// Vorbis comments, in Ogg and FLAC.
        case vorbisComment
        /// The `ilst` of an MP4 file.
        case mp4
        /// The `LIST INFO` of a WAVE file.
        case riff
    }

    /// Which kind of tag it is.
    public var kind: Kind
    /// Where it is in the stream, its headers included.
    public var range: Range<Int64>
    /// The fields in the order of the tag; names may come more than once.
    public var fields: [AudioTagField]
    /// The pictures, in the order of the tag.
    public var pictures: [AudioPicture]
    /// The chapters in the order of time.
    public var chapters: [AudioChapter]

    /// A tag without anything in it.
    public init(kind: Kind, range: Range<Int64>) {
        self.kind = kind
        self.range = range
        self.fields = []
        self.pictures = []
        self.chapters = []
    }
}
