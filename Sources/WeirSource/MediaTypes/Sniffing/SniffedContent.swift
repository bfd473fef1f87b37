// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a resource show: a type, and what else they would allow.
struct SniffedContent: Hashable {
    /// What the bytes are if nothing else is known.
    let type: MediaType
    /// What they may be as well, if a header or a name says so.
    let alternatives: [MediaType]

    init(_ type: MediaType, or alternatives: [MediaType] = []) {
        self.type = type
        self.alternatives = alternatives
    }

    /// Content of which only the type was kept.
    init(undecided type: MediaType) {
        self.init(type.canonical, or: Self.contents[type.canonical] ?? [])
    }

    /// Looks at the first bytes.
    init?(of window: ByteWindow) {
        let found =
            Self.signature(window)
            ?? Self.riff(window)
            ?? Self.baseMedia(window)
            ?? Self.ogg(window)
            ?? Self.matroska(window)
            ?? Self.tagged(window)
            ?? Self.mpegStream(window)
            ?? Self.audioFrames(window)
            ?? Self.text(window)
        guard let found else { return nil }
        self = found
    }

    /// Whether a header or a name may refine the content to this canonical type.
    func allows(_ candidate: MediaType) -> Bool {
        if self.alternatives.contains(candidate) { return true }
        switch self.type {
        case .xml: return candidate.essence.hasSuffix("+xml")
        case .json: return candidate.essence.hasSuffix("+json")
        default: return false
        }
    }

    /// What a container may turn out to hold.
    static let contents: [MediaType: [MediaType]] = [
        .mp4Video: [.mp4Audio, .threeGPPVideo, .threeGPPAudio, .threeGPP2Video],
        .threeGPPVideo: [.threeGPPAudio, .threeGPP2Video],
        .ogg: [.oggAudio, .oggVideo],
        .webMVideo: [.webMAudio],
        .matroskaVideo: [.matroskaAudio],
        .asf: [.wma, .wmv],
        .m3uPlaylist: [.hlsPlaylist],
    ]
}
