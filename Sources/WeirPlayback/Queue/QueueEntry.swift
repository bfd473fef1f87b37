// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// What lies in the queue between the bytes and the decoder, in the order of the sound.
enum QueueEntry: Sendable {
    /// What follows is of this item; nothing of it is heard before ``item(_:)``.
    case ahead(QueuedItem)
    /// What follows is heard, from this position of the item on.
    case item(QueuedItem)
    /// Packets that follow are of this format.
    case format(AudioFormat)
    /// A packet; what is not to be heard of it is in its trims.
    case packet(AudioPacket)
    /// The packets before and behind do not follow each other: the decoder is to forget.
    case joint
    /// What follows is called so.
    case title(PlayerTitle)
    /// Bytes were passed over.
    case trouble(AudioStreamTrouble)
    /// The item could not be played, or not to its end.
    case failed(PlayerFailure, index: Int)
    /// Nothing more comes.
    case end

    /// What it weighs in the queue: what came out of the stream, whose size is the stream's choice.
    var byteCount: Int {
        switch self {
        case .packet(let packet): packet.payload.count
        case .format(let format): format.configuration.count
        case .title(let title): title.byteCount
        case .ahead, .item, .joint, .trouble, .failed, .end: 0
        }
    }

    /// Whether it takes time in the sound.
    var isPacket: Bool {
        if case .packet = self { return true }
        return false
    }
}
