// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What has been read of a tag, with a bound on how much that may be.
struct TagContents {
    /// The fields, pictures and chapters.
    var tags: AudioTags
    /// What could not be read, if anything; the first of its kind.
    var trouble: AudioStreamTrouble.Kind?
    /// How many more values, pictures and chapters are kept.
    private(set) var left = AudioTags.maximumItems

    /// Nothing yet.
    ///
    /// - Parameters:
    ///   - kind: which kind of tag is read.
    ///   - range: where it is in the stream.
    init(kind: AudioTags.Kind, range: Range<Int64>) {
        self.tags = AudioTags(kind: kind, range: range)
    }

    /// Whether anything has been found.
    var isEmpty: Bool {
        self.tags.fields.isEmpty && self.tags.pictures.isEmpty && self.tags.chapters.isEmpty
    }

    /// Adds a field; its values count, or it counts as one if it has none.
    mutating func append(_ name: String, _ values: [String]) {
        guard self.take(max(1, values.count)) else { return }
        self.tags.fields.append(AudioTagField(name, values))
    }

    /// Adds a picture.
    mutating func append(_ picture: AudioPicture) {
        guard self.take(1) else { return }
        self.tags.pictures.append(picture)
    }

    /// Adds a chapter.
    mutating func append(_ chapter: AudioChapter) {
        guard self.take(1) else { return }
        self.tags.chapters.append(chapter)
    }

    /// Remembers that something was passed over.
    mutating func note(_ kind: AudioStreamTrouble.Kind) {
        self.trouble = self.trouble ?? kind
    }

    private mutating func take(_ count: Int) -> Bool {
        guard count <= self.left else {
            self.note(.tooLarge)
            return false
        }
        self.left -= count
        return true
    }
}
