// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// An event between the bytes of a ring.
struct RingEvent: Sendable {
    /// The kind of an event.
    enum Kind: Sendable {
        /// A connection begins.
        case stretch(StreamStretch)
        /// The station's metadata for the following sound.
        case metadata(ICYMetadata)
        /// A parser's finding before the following packets.
        case sign(StreamSign)
    }

    /// Its number; numbers grow and are never reused.
    var serial: Int64
    /// The offset of the byte that follows it.
    var offset: Int64
    /// The number of the packet that follows it.
    var packet: Int64
    /// The kind of the event.
    var kind: Kind

    /// About how many bytes of memory it takes.
    var byteCount: Int {
        switch self.kind {
        case .stretch(let stretch): 256 + stretch.head.count + Self.byteCount(of: stretch.info)
        // The bytes, and the fields made of them, which may be twice as long in UTF-8.
        case .metadata(let metadata): 128 + 3 * metadata.raw.count
        case .sign(let sign): 256 + sign.byteCount
        }
    }

    var isStretch: Bool {
        if case .stretch = self.kind { return true }
        return false
    }

    /// Adds this event's facts about the following bytes to a stretch.
    func add(to stretch: inout StreamStretch?) {
        switch self.kind {
        case .stretch(let new): stretch = new
        case .metadata(let metadata): stretch?.metadata = metadata
        case .sign(.format(let format)): stretch?.format = format
        case .sign(.tags(let tags)): stretch?.tags = tags
        case .sign(.trouble): break
        }
    }

    /// The size of a server's facts about itself: they come with each connection, and may be as
    /// long as a response head.
    private static func byteCount(of info: StationInfo) -> Int {
        let headers = info.headers
        let texts = [headers.name, headers.genre, headers.url, headers.description, info.mediaType]
        return (texts.compactMap { $0 } + headers.notices + [info.display]).reduce(0) {
            $0 + $1.utf8.count
        }
    }
}
