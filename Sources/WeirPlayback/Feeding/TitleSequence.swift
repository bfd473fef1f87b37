// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The titles of a medium, part by part: a title ends with the part that it titled.
struct TitleSequence {
    /// The title of the packets that come now; empty if they have none.
    private(set) var title = PlayerTitle()
    /// The title of the next packet, if it is another one.
    private var next: PlayerTitle?
    /// What a tag behind the sound says, until it is known what follows.
    private var trailing: PlayerTitle?
    /// Whether there was a packet in this part.
    private var hasSound = false

    /// A tag was read.
    mutating func read(_ tags: AudioTags) {
        let title = PlayerTitle(tags)
        switch tags.kind {
        case .id3v1, .ape, .lyrics3:
            if self.hasSound { self.trailing = title } else if let title { self.next = title }
        case .id3v2:
            // In mid-stream another file begins with it, titled or not.
            if let title { self.next = title } else if self.hasSound { self.next = PlayerTitle() }
        case .vorbisComment, .mp4, .riff:
            if let title { self.next = title }
        }
    }

    /// Another part begins: a link of a chain, or a file that was joined on.
    mutating func beganPart() {
        // Its tag may have come before.
        if self.next == nil { self.next = PlayerTitle() }
        self.trailing = nil
        self.hasSound = false
    }

    /// A packet was read.
    ///
    /// - Returns: its title, if it is another than that of the packet before.
    mutating func passedPacket() -> PlayerTitle? {
        self.hasSound = true
        self.trailing = nil
        guard let next = self.next else { return nil }
        self.next = nil
        guard next != self.title else { return nil }
        self.title = next
        return next
    }

    /// The title that a tag behind the sound gives to what was heard; `nil` if there is none, or there was another one.
    mutating func titleAtEnd() -> PlayerTitle? {
        let title = self.next ?? self.trailing
        (self.next, self.trailing) = (nil, nil)
        guard let title, self.title == PlayerTitle(), title != self.title else { return nil }
        self.title = title
        return title
    }
}
