// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of a tag so far, limited in size.
struct TagContents {
    /// The fields, pictures and chapters.
    var tags: AudioTags
    /// The kind of trouble with the unreadable parts; only the first kind is kept.
    var trouble: AudioStreamFailure.Kind?
    /// How many more values, pictures and chapters may be kept.
    private(set) var left = AudioTags.maximumItems

    /// Empty contents.
    ///
    /// - Parameters:
    ///   - kind: the kind of tag.
    ///   - range: the range of the tag in the stream.
    init(kind: AudioTags.Kind, range: Range<Int64>) {
        self.tags = AudioTags(kind: kind, range: range)
    }

    /// Whether there are no contents.
    var isEmpty: Bool {
        self.tags.fields.isEmpty && self.tags.pictures.isEmpty && self.tags.chapters.isEmpty
    }

    /// Adds a field; each value counts as one item, and a field without values does too.
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

    /// Remembers that a part was skipped.
    mutating func note(_ kind: AudioStreamFailure.Kind) {
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
