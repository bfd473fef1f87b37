// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a generation of a resource is known by: Weir's own name for it or, without one, the validator.
package enum ResourceIdentity: Hashable, Sendable {
    /// Weir's own name.
    case generation(GenerationID)
    /// What the origin says.
    case validator(Validator)

    /// The identity of a resource that is described so; `nil` if it has none, so that two descriptions never mean the same.
    package init?(_ description: ResourceDescription) {
        if let generation = description.generation {
            self = .generation(generation)
        } else if let validator = description.validator {
            self = .validator(validator)
        } else {
            return nil
        }
    }
}
