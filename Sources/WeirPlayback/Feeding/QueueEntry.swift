// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// An entry of the queue between the bytes and the decoder, in the order of the sound.
enum QueueEntry: Sendable {
    /// The entries that follow are of this item; nothing of it is heard before ``item(_:)``.
    case ahead(QueuedItem)
    /// The packets that follow are heard, from this position of the item on.
    case item(QueuedItem)
    /// Packets that follow are of this format.
    case format(AudioFormat)
    /// A packet; its trims are not heard.
    case packet(AudioPacket)
    /// The packets before and behind do not follow each other: the decoder is reset.
    case joint
    /// So much of a station's sound is missing here, since it was not kept long enough.
    case skipped(Duration)
    /// The title of the packets that follow.
    case title(PlayerTitle)
    /// Bytes were passed over.
    case trouble(AudioStreamTrouble)
    /// The item could not be played, or not to its end.
    case failed(PlayerFailure, ItemID)
    /// Nothing more comes.
    case end

    /// How many bytes of the stream it has; they count towards the limit, since a stream may choose their number.
    var byteCount: Int {
        switch self {
        case .packet(let packet): packet.payload.count
        case .format(let format): format.configuration.count
        case .title(let title): title.byteCount
        case .ahead, .item, .joint, .skipped, .trouble, .failed, .end: 0
        }
    }

    /// Whether it takes time in the sound.
    var isPacket: Bool {
        if case .packet = self { return true }
        return false
    }
}

/// The beginning of an item in the queue.
struct QueuedItem: Sendable {
    let id: ItemID
    /// How it is called in what is said to people.
    var name: String
    /// Whether the name is only its place in the queue.
    var isNameless = false
    var position: Duration = .zero
    /// How well the position is known.
    var precision = PositionPrecision.exact
    var isLive = false
}

/// The title of what is heard, with artist and album.
struct PlayerTitle: Hashable, Sendable {
    var title: String?
    var artist: String?
    var album: String?

    init(title: String? = nil, artist: String? = nil, album: String? = nil) {
        self.title = title
        self.artist = artist
        self.album = album
    }

    /// The title of tags, with all values of fields that have several; `nil` if they name none of these.
    init?(_ tags: AudioTags) {
        let texts = [tags.titles, tags.artists, tags.albums].map { values in
            values.isEmpty ? nil : values.joined(separator: " / ")
        }
        self.init(title: texts[0], artist: texts[1], album: texts[2])
        if self == PlayerTitle() { return nil }
    }

    /// The title of a station's metadata; `nil` if they have none.
    ///
    /// An empty title clears the last.
    init?(_ metadata: ICYMetadata, station: String?) {
        guard let title = metadata.title else { return nil }
        self.init(title: title.isEmpty ? nil : title, artist: nil, album: station)
    }

    /// How many bytes of text it has.
    var byteCount: Int {
        [self.title, self.artist, self.album].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// These values, and those of an earlier title where these are missing.
    func over(_ earlier: PlayerTitle) -> PlayerTitle {
        PlayerTitle(
            title: self.title ?? earlier.title,
            artist: self.artist ?? earlier.artist,
            album: self.album ?? earlier.album
        )
    }
}
