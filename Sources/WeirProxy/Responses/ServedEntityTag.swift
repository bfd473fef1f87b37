// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The strong entity tag of a served resource (RFC 9110 §8.8.3).
///
///     entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
///     etagc      = %x21 / %x23-7E / obs-text
enum ServedEntityTag: Hashable, Sendable {
    /// The origin's own tag, with its quotes: its bytes are passed on as received.
    case origin(String)
    /// The generation's name: the origin identifies the bytes in another way, or they are
    /// decrypted.
    case generation(GenerationID)

    /// The most bytes of an origin's tag that is passed on.
    static let maximumSize = 256

    /// The tag of a resource.
    ///
    /// - Returns: `nil` for a resource without a strong identity: two of its versions could get the
    ///   same tag.
    init?(_ description: ResourceDescription) {
        switch description.validator {
        case .entityTag(let tag) where Self.isSendable(tag):
            self = .origin(tag)
        case .some:
            guard let generation = description.generation else { return nil }
            self = .generation(generation)
        case nil:
            return nil
        }
    }

    /// The text between the quotes.
    var opaque: Substring {
        switch self {
        case .origin(let tag): tag.dropFirst().dropLast()
        case .generation(let generation): Substring(generation.description)
        }
    }

    /// The most bytes of the tag with its quotes.
    var size: Int {
        switch self {
        case .origin(let tag): tag.utf8.count
        case .generation: 18
        }
    }

    /// Whether an origin's tag can be sent in a field as it is.
    private static func isSendable(_ tag: String) -> Bool {
        var tag = tag
        return tag.withUTF8 { bytes in
            guard (2...Self.maximumSize).contains(bytes.count),
                bytes[0] == UInt8(ascii: "\""), bytes[bytes.count - 1] == UInt8(ascii: "\"")
            else { return false }
            return bytes[1..<(bytes.count - 1)].allSatisfy {
                $0 == 0x21 || (0x23...0x7E).contains($0)
            }
        }
    }
}
