// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The titles of a medium, part by part: a title ends with its part.
struct TitleSequence {
    /// The title of the current packets; empty if they have none.
    private(set) var title = PlayerTitle()
    /// The title of the next packet, if it is another one.
    private var next: PlayerTitle?
    /// The title of a tag after the sound, until the next packet or the end shows where it belongs.
    private var trailing: PlayerTitle?
    /// Whether there was a packet in this part.
    private var hasSound = false

    /// Records tags.
    mutating func read(_ tags: AudioTags) {
        let title = PlayerTitle(tags)
        switch tags.kind {
        case .id3v1, .ape, .lyrics3:
            if self.hasSound { self.trailing = title } else if let title { self.next = title }
        case .id3v2:
            // In mid-stream another file begins with this tag, with or without a title.
            if let title { self.next = title } else if self.hasSound { self.next = PlayerTitle() }
        case .vorbisComment, .mp4, .riff:
            if let title { self.next = title }
        }
    }

    /// Another part begins: a link of a chain, or a joined file.
    mutating func beganPart() {
        // The tag of the new part may have come before.
        if self.next == nil { self.next = PlayerTitle() }
        self.trailing = nil
        self.hasSound = false
    }

    /// Records a packet.
    ///
    /// - Returns: its title, if it differs from the title of the previous packet.
    mutating func passedPacket() -> PlayerTitle? {
        self.hasSound = true
        self.trailing = nil
        guard let next = self.next else { return nil }
        self.next = nil
        guard next != self.title else { return nil }
        self.title = next
        return next
    }

    /// The title from a tag after the sound; `nil` if there is no such tag, or if the sound had a
    /// title.
    mutating func titleAtEnd() -> PlayerTitle? {
        let title = self.next ?? self.trailing
        (self.next, self.trailing) = (nil, nil)
        guard let title, self.title == PlayerTitle(), title != self.title else { return nil }
        self.title = title
        return title
    }
}
