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

    init(_ description: ResourceDescription) {
        self.length = description.length
        self.mediaType = description.mediaType?.essence
        self.validator = description.validator.map(ValidatorMessage.init)
        self.name = description.name
        self.acceptsRanges = description.acceptsRanges
        self.generation = description.generation?.description
    }

    var description: ResourceDescription {
        ResourceDescription(
            length: self.length.flatMap { $0 >= 0 ? $0 : nil },
            mediaType: self.mediaType.flatMap { MediaType(headerValue: $0) },
            validator: self.validator?.validator,
            name: self.name,
            acceptsRanges: self.acceptsRanges,
            generation: self.generation.flatMap { GenerationID($0) }
        )
    }
}
