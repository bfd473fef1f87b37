// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a resource is: everything that is known of it but its bytes.
public struct ResourceDescription: Hashable, Sendable {
    /// Bytes in the resource; `nil` while nobody has said.
    public var length: Int64?
    /// The media type as far as this source has settled it.
    public var mediaType: MediaType?
    /// What the origin says identifies these bytes; `nil` if it says nothing strong.
    public var validator: Validator?
    /// The file name, without a folder: `Song.mp3`.
    public var name: String?
    /// Whether the origin answers range requests; `nil` while it has not been seen to.
    public var acceptsRanges: Bool?
    /// Weir's own name for this generation, the same for every reader and after a restart,
    /// different after every change.
    ///
    /// `nil` for sources that keep nothing.
    public var generation: GenerationID?
    /// What the origin says of keeping these bytes; `nil` where it says nothing.
    public var cacheDirectives: CacheDirectives?

    /// Describes a resource.
    public init(
        length: Int64?,
        mediaType: MediaType? = nil,
        validator: Validator? = nil,
        name: String? = nil,
        acceptsRanges: Bool? = nil,
        generation: GenerationID? = nil,
        cacheDirectives: CacheDirectives? = nil
    ) {
        self.length = length
        self.mediaType = mediaType
        self.validator = validator
        self.name = name
        self.acceptsRanges = acceptsRanges
        self.generation = generation
        self.cacheDirectives = cacheDirectives
    }

    /// The pin that holds a continuation to this generation.
    public var pin: ReadDemand.Pin {
        ReadDemand.Pin(validator: self.validator, length: self.length)
    }
}
