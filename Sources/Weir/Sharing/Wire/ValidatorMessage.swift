// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A validator on the wire.
enum ValidatorMessage: Codable, Hashable, Sendable {
    case entityTag(String)
    case lastModified(String, length: Int64)
    case revision(String)

    init(_ validator: Validator) {
        switch validator {
        case .entityTag(let tag): self = .entityTag(tag)
        case .lastModified(let date, let length): self = .lastModified(date, length: length)
        case .revision(let name): self = .revision(name)
        }
    }

    var validator: Validator {
        switch self {
        case .entityTag(let tag): .entityTag(tag)
        case .lastModified(let date, let length): .lastModified(date, length: length)
        case .revision(let name): .revision(name)
        }
    }
}
