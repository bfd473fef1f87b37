// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// What the asset of a simulated player is made of: what is true of it, for a judge to compare with.
public struct SimulatedMedium: Hashable, Sendable {
    /// Its bytes; a second version if the origin changes it.
    public var versions: [SimulatedContent]
    /// What it is.
    public var mediaType: MediaType?
    /// Whether the origin says from the beginning how long it is.
    public var announcesLength: Bool

    /// Describes a medium.
    public init(
        versions: [SimulatedContent],
        mediaType: MediaType? = .mpegAudio,
        announcesLength: Bool = true
    ) {
        self.versions = versions
        self.mediaType = mediaType
        self.announcesLength = announcesLength
    }

    /// A medium of one version.
    public init(length: Int64, mediaType: MediaType? = .mpegAudio, start: Int64 = 0) {
        self.init(
            versions: [SimulatedContent(length: length, start: start)],
            mediaType: mediaType
        )
    }

    /// Bytes in the first version.
    public var length: Int64 { self.versions.first?.length ?? 0 }
}
