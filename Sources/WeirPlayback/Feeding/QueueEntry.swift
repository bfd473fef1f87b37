// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// An entry of the queue between the bytes and the decoder, in the order of the sound.
enum QueueEntry: Sendable {
    /// The following entries belong to this item; none of it is heard before ``item(_:)``.
    case ahead(QueuedItem)
    /// The following packets are heard, from this position of the item on.
    case item(QueuedItem)
    /// The following packets have this format.
    case format(AudioFormat)
    /// A packet; its trims are not heard.
    case packet(AudioPacket)
    /// The next packet does not follow the previous one: the decoder is reset.
    case joint
    /// This much of a station's sound is missing here, because the station no longer keeps it.
    case skipped(Duration)
    /// The title of the following packets.
    case title(PlayerTitle)
    /// The parser skipped bytes.
    case trouble(AudioStreamFailure)
    /// The item could not be played, or not to its end.
    case failed(PlayerFailure, ItemID)
    /// No more entries follow.
    case end

    /// How many bytes of the stream it holds; they count towards the limit, since the stream
    /// determines their number.
    var byteCount: Int {
        switch self {
        case .packet(let packet): packet.payload.count
        case .format(let format): format.configuration.count
        case .title(let title): title.byteCount
        case .ahead, .item, .joint, .skipped, .trouble, .failed, .end: 0
        }
    }

    /// Whether it is a packet: only packets have a duration.
    var isPacket: Bool {
        if case .packet = self { return true }
        return false
    }
}

/// The beginning of an item in the queue.
struct QueuedItem: Sendable {
    let id: ItemID
    /// Its name in messages for people.
    var name: String
    /// Whether the name only says its place in the queue.
    var isNameless = false
    var position: Duration = .zero
    /// The precision of the position.
    var precision = PositionPrecision.exact
    var isLive = false
}

/// The title, artist and album of the heard sound.
struct PlayerTitle: Hashable, Sendable {
    var title: String?
    var artist: String?
    var album: String?

    init(title: String? = nil, artist: String? = nil, album: String? = nil) {
        self.title = title
        self.artist = artist
        self.album = album
    }

    /// The title of tags, with all values of fields that have several; `nil` if they have no title,
    /// artist or album.
    init?(_ tags: AudioTags) {
        let texts = [tags.titles, tags.artists, tags.albums].map { values in
            values.isEmpty ? nil : values.joined(separator: " / ")
        }
        self.init(title: texts[0], artist: texts[1], album: texts[2])
        if self == PlayerTitle() { return nil }
    }

    /// The title of a station's metadata; `nil` if it has none.
    ///
    /// An empty title clears the last one.
    init?(_ metadata: ICYMetadata, station: String?) {
        guard let title = metadata.title else { return nil }
        self.init(title: title.isEmpty ? nil : title, artist: nil, album: station)
    }

    /// How many bytes of text it has.
    var byteCount: Int {
        [self.title, self.artist, self.album].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// This title, with values of an earlier title in place of missing values.
    func over(_ earlier: PlayerTitle) -> PlayerTitle {
        PlayerTitle(
            title: self.title ?? earlier.title,
            artist: self.artist ?? earlier.artist,
            album: self.album ?? earlier.album
        )
    }
}
