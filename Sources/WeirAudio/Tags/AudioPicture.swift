// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A picture in a tag.
public struct AudioPicture: Hashable, Sendable {
    /// What it shows: the numbers of ID3v2's APIC, that FLAC uses too; 3 is the front cover, 0 anything.
    public var kind: Int
    /// Its media type as the tag has it; may be empty.
    public var mediaType: String
    /// What the tag says of it.
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
