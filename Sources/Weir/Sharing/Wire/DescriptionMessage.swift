// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A resource's description on the wire.
struct DescriptionMessage: Codable, Hashable, Sendable {
    private var length: Int64?
    private var mediaType: String?
    private var validator: ValidatorMessage?
    private var name: String?
    private var acceptsRanges: Bool?
    private var generation: String?
    private var forbidsStoring: Bool?
    /// In seconds.
    private var freshness: Int64?

    init(_ description: ResourceDescription) {
        self.length = description.length
        self.mediaType = description.mediaType?.essence
        self.validator = description.validator.map(ValidatorMessage.init)
        self.name = description.name
        self.acceptsRanges = description.acceptsRanges
        self.generation = description.generation?.description
        self.forbidsStoring = description.cacheDirectives?.forbidsStoring
        self.freshness = description.cacheDirectives?.freshness?.components.seconds
    }

    var description: ResourceDescription {
        ResourceDescription(
            length: self.length.flatMap(ResourceLength.checked),
            mediaType: self.mediaType.flatMap { MediaType(headerValue: $0) },
            validator: self.validator?.validator,
            name: self.name,
            acceptsRanges: self.acceptsRanges,
            generation: self.generation.flatMap { GenerationID($0) },
            cacheDirectives: self.directives
        )
    }

    private var directives: CacheDirectives? {
        guard self.forbidsStoring != nil || self.freshness != nil else { return nil }
        return CacheDirectives(
            forbidsStoring: self.forbidsStoring ?? false,
            freshness: self.freshness.map { .seconds(max(0, $0)) }
        )
    }
}
