// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// The information for a player about a resource before its first byte.
package struct ContentInformation: Hashable, Sendable {
    /// The type of the content; `nil` lets the media system determine it.
    package var type: UniformType?
    /// The length of the whole resource, whatever part was requested; `nil` while it is unknown.
    package var length: Int64?
    /// Whether every byte is held, so that the player never has to wait.
    package var isEntirelyAvailable: Bool

    /// Describes a resource.
    package init(type: UniformType?, length: Int64?, isEntirelyAvailable: Bool = false) {
        self.type = type
        self.length = length
        self.isEntirelyAvailable = isEntirelyAvailable
    }
}

/// A uniform type identifier: the name of a type in Apple's media system.
///
/// The identifiers are those that Apple's systems declare, so the table needs no framework. A type that Apple's
/// systems do not declare has no identifier.
package struct UniformType: Hashable, Sendable, CustomStringConvertible {
    /// The identifier: `public.mp3`.
    package let identifier: String

    /// Takes an identifier as it is.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// The identifier.
    package var description: String { self.identifier }

    /// The identifiers of a media type, the usual one first; empty for a type that Apple's systems do not declare.
    package static func names(of type: MediaType) -> [UniformType] {
        (Self.table[type.canonical] ?? []).map { UniformType(identifier: $0) }
    }

    /// The identifier for a media system that accepts only some types.
    ///
    /// For a content type that is not allowed, the media system throws an exception that Swift cannot catch. So the
    /// result is always an allowed type.
    ///
    /// - Parameters:
    ///   - type: the type of the content; `nil` if it is unknown.
    ///   - allowed: the allowed identifiers; `nil` or empty for all.
    /// - Returns: the identifier; `nil` lets the media system determine the type.
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
