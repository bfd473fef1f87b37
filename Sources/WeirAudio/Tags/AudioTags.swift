// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of a tag: fields as they are stored, pictures, chapters.
public struct AudioTags: Hashable, Sendable {
    /// The kind of tag.
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

    /// The kind of tag.
    public var kind: Kind
    /// The range of the tag in the stream, with its headers.
    public var range: Range<Int64>
    /// The fields in the order of the tag; names may occur more than once.
    public var fields: [AudioTagField]
    /// The pictures, in the order of the tag.
    public var pictures: [AudioPicture]
    /// The chapters in the order of time.
    public var chapters: [AudioChapter]

    /// An empty tag.
    public init(kind: Kind, range: Range<Int64>) {
        self.kind = kind
        self.range = range
        self.fields = []
        self.pictures = []
        self.chapters = []
    }
}

extension AudioTags {
    /// All values of the fields with a name, in the order of the tag.
    ///
    /// - Parameter name: as in ``AudioTagField/name``; ASCII letters in any case.
    /// - Returns: the values; empty if there is no such field.
    public func values(_ name: String) -> [String] {
        self.fields.lazy.filter { Self.isName($0.name, name) }.flatMap(\.values)
    }

    /// The first value of the fields with a name.
    func first(_ name: String) -> String? {
        for field in self.fields where Self.isName(field.name, name) {
            if let value = field.values.first { return value }
        }
        return nil
    }

    /// Whether two names are equal, ignoring the case of ASCII letters.
    static func isName(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    /// An ASCII letter in lower case; any other byte unchanged.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

/// A field of a tag.
public struct AudioTagField: Hashable, Sendable {
    /// The field's name as stored in the tag: `TIT2`, `TXXX:description`, `COMM:description:eng`,
    /// `TITLE`, `©nam`.
    public var name: String
    /// The field's values, in order; most fields have one.
    ///
    /// Empty if the stored value is not text, or cannot be read.
    public var values: [String]

    /// A field.
    public init(_ name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }
}

/// A picture in a tag.
public struct AudioPicture: Hashable, Sendable {
    /// The role of the picture, by the numbers of ID3v2's APIC, which FLAC uses too: 3 is the front
    /// cover, 0 any other picture.
    public var kind: Int
    /// The picture's media type as stored in the tag; may be empty.
    public var mediaType: String
    /// The description in the tag.
    public var description: String
    /// The picture file.
    public var data: ByteMemory

    /// A picture.
    public init(kind: Int, mediaType: String, description: String, data: ByteMemory) {
        self.kind = kind
        self.mediaType = mediaType
        self.description = description
        self.data = data
    }
}

/// A part of a stream with a title.
public struct AudioChapter: Hashable, Sendable {
    /// When the chapter starts, in milliseconds.
    public var startMilliseconds: Int64
    /// When the chapter ends, in milliseconds; `nil` if the tag does not say.
    public var endMilliseconds: Int64?
    /// The title of the chapter; may be empty.
    public var title: String

    /// A chapter.
    public init(startMilliseconds: Int64, endMilliseconds: Int64?, title: String) {
        self.startMilliseconds = startMilliseconds
        self.endMilliseconds = endMilliseconds
        self.title = title
    }
}
