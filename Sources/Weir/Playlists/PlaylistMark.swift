// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Marks the description of a resource as that of an HLS playlist.
///
/// The mark is a validator, so the cache keeps it with the bytes, and a plain file never has it. The bytes of a marked
/// resource are the playlist's text in its stored form, without signatures; no player gets them.
enum PlaylistMark: Hashable, Sendable {
    /// A playlist that may change at any time; its text is not stored.
    case live
    /// A complete playlist, whose text is stored.
    case complete(Text)

    /// What identifies a stored text.
    struct Text: Hashable, Sendable {
        /// The digest of the text, in hexadecimal digits.
        let digest: String
        /// The digest of its segments alone, in 16 hexadecimal digits.
        let structure: String
        /// The version of its segments, which is a part of their identities; empty for the first
        /// text of an address.
        var version = ""
        /// Whether another text of the same version was stored before, so that the cache may hold
        /// segments that have changed since.
        var replaces = false
        /// The origin's strong entity tag; `nil` without one.
        var tag: String?

        /// Notes the text that this one replaces.
        ///
        /// If the segments differ, they are other resources than those of the former text, even
        /// under the same addresses.
        mutating func replace(_ former: Text) {
            let isSame = self.structure == former.structure
            self.version = isSame ? former.version : self.structure
            self.replaces = isSame
        }
    }

    private static let start = Validator.storedFormStart

    /// The mark of a description; `nil` for a resource that is not a playlist.
    init?(_ description: ResourceDescription) {
        guard let validator = description.validator else { return nil }
        self.init(validator)
    }

    /// The mark in a validator; `nil` for another validator.
    init?(_ validator: Validator) {
        guard case .revision(let text) = validator, text.hasPrefix(Self.start) else { return nil }
        let parts = text.dropFirst(Self.start.count).split(
            separator: " ",
            maxSplits: 4,
            omittingEmptySubsequences: false
        ).map(String.init)
        switch (parts.first, parts.count) {
        case ("live", 1): self = .live
        case ("first", 5), ("next", 5):
            self = .complete(
                Text(
                    digest: parts[1],
                    structure: parts[2],
                    version: parts[3],
                    replaces: parts[0] == "next",
                    tag: parts[4].isEmpty ? nil : parts[4]
                )
            )
        default: return nil
        }
    }

    var validator: Validator {
        switch self {
        case .live: .revision("\(Self.start)live")
        case .complete(let text):
            .revision(
                [
                    "\(Self.start)\(text.replaces ? "next" : "first")", text.digest,
                    text.structure, text.version, text.tag ?? "",
                ].joined(separator: " ")
            )
        }
    }
}
