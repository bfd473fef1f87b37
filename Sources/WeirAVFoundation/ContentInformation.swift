// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// What a player is told of a resource before its first byte.
package struct ContentInformation: Hashable, Sendable {
    /// What the content is; `nil` lets the media system look for itself.
    package var type: UniformType?
    /// Bytes in the whole resource, whatever part of it was asked for; `nil` while it is unknown.
    package var length: Int64?
    /// Whether every byte is at hand, so that none will have to be waited for.
    package var isEntirelyAvailable: Bool

    /// Describes a resource.
    package init(type: UniformType?, length: Int64?, isEntirelyAvailable: Bool = false) {
        self.type = type
        self.length = length
        self.isEntirelyAvailable = isEntirelyAvailable
    }
}

/// A uniform type identifier: what Apple's media system calls a type.
///
/// The identifiers are those that Apple's systems declare, so the table needs no framework; a type that they do not
/// declare has none.
package struct UniformType: Hashable, Sendable, CustomStringConvertible {
    /// The identifier: `public.mp3`.
    package let identifier: String

    /// Takes an identifier as it is.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// The identifier.
    package var description: String { self.identifier }

    /// What a media type may be called, the usual name first; empty for a type that Apple's systems do not declare.
    package static func names(of type: MediaType) -> [UniformType] {
        (Self.table[type.canonical] ?? []).map { UniformType(identifier: $0) }
    }

    /// The name to give to a media system that takes only some types.
    ///
    /// A content type that is not among those that are allowed makes the media system throw an exception that Swift
    /// cannot catch, so no such type is ever named.
    ///
    /// - Parameters:
    ///   - type: the type of the content; `nil` if it is unknown.
    ///   - allowed: the identifiers that may be named; `nil` or empty for all.
    /// - Returns: the name; `nil` within `.success` lets the media system look for itself.
    /// - Throws: ``LoadingFailure/typeNotAllowed(_:)`` when the content has names, and none of them is allowed.
    static func name(
        of type: MediaType?,
        outOf allowed: [String]?
    ) throws(LoadingFailure) -> UniformType? {
        let names = type.map { self.names(of: $0) } ?? []
        guard let allowed, !allowed.isEmpty, !names.isEmpty else { return names.first }
        guard let name = names.first(where: { allowed.contains($0.identifier) }) else {
            throw .typeNotAllowed(type)
        }
        return name
    }

    private static let table: [MediaType: [String]] = [
        .mpegAudio: ["public.mp3"],
        .aac: ["public.aac-audio"],
        .mp4Audio: ["com.apple.m4a-audio", "public.mpeg-4-audio", "public.mpeg-4"],
        .flac: ["org.xiph.flac"],
        .wav: ["com.microsoft.waveform-audio"],
        .aiff: ["public.aiff-audio", "public.aifc-audio"],
        .caf: ["com.apple.coreaudio-format"],
        .oggAudio: ["org.xiph.ogg-audio"],
        .amr: ["org.3gpp.adaptive-multi-rate-audio"],
        .ac3: ["public.ac3-audio"],
        .enhancedAC3: ["public.enhanced-ac3-audio"],
        .basicAudio: ["public.au-audio"],
        .midi: ["public.midi-audio"],
        .wma: ["com.microsoft.windows-media-wma"],
        .threeGPPAudio: ["public.3gpp"],
        .mp4Video: ["public.mpeg-4", "com.apple.m4v-video"],
        .quickTime: ["com.apple.quicktime-movie"],
        .threeGPPVideo: ["public.3gpp"],
        .threeGPP2Video: ["public.3gpp2"],
        .mpegVideo: ["public.mpeg"],
        .mpegTransportStream: ["public.mpeg-2-transport-stream"],
        .avi: ["public.avi"],
        .webMVideo: ["org.webmproject.webm"],
        .matroskaVideo: ["org.matroska.mkv"],
        .wmv: ["com.microsoft.windows-media-wmv"],
        .hlsPlaylist: ["public.m3u-playlist"],
        .m3uPlaylist: ["public.m3u-playlist"],
        .plsPlaylist: ["public.pls-playlist"],
    ]
}
