// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// What stands between the bytes of a ring.
struct RingEvent: Sendable {
    /// What it is.
    enum Kind: Sendable {
        /// A connection begins.
        case stretch(StreamStretch)
        /// What the station says of the sound behind it.
        case metadata(ICYMetadata)
        /// What a parser found before the packets behind it.
        case sign(StreamSign)
    }

    /// Its number; numbers grow and are never given twice.
    var serial: Int64
    /// Which byte it stands before.
    var offset: Int64
    /// The number of the packet that it stands before.
    var packet: Int64
    /// What it is.
    var kind: Kind

    /// How many bytes it takes, about.
    var byteCount: Int {
        switch self.kind {
        case .stretch(let stretch): 256 + stretch.head.count + Self.byteCount(of: stretch.info)
        // The text is kept twice: as bytes, and as fields that were made of them.
        case .metadata(let metadata): 128 + 3 * metadata.raw.count
        case .sign(let sign): 256 + sign.byteCount
        }
    }

    var isStretch: Bool {
        if case .stretch = self.kind { return true }
        return false
    }

    /// Adds to a connection what this says of the bytes behind it.
    func add(to stretch: inout StreamStretch?) {
        switch self.kind {
        case .stretch(let new): stretch = new
        case .metadata(let metadata): stretch?.metadata = metadata
        case .sign(.format(let format)): stretch?.format = format
        case .sign(.tags(let tags)): stretch?.tags = tags
        case .sign(.trouble): break
        }
    }

    /// What a server says of itself anew with each connection may be as long as a head.
    private static func byteCount(of info: StationInfo) -> Int {
        let headers = info.headers
        let texts = [headers.name, headers.genre, headers.url, headers.description, info.mediaType]
        return (texts.compactMap { $0 } + headers.notices + [info.display]).reduce(0) {
            $0 + $1.utf8.count
        }
    }
}
