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
        /// When the items of the text began to be those of this text, in seconds since 1970.
        ///
        /// Bytes that are older may be those of a former text that named the same addresses.
        let since: Int64
        /// Whether the text replaced another one; its segments then are other resources, even under
        /// the same addresses.
        var isReplacement = false
        /// The origin's strong entity tag; `nil` without one.
        var tag: String?

        /// The version of the segments, a part of their identities; empty for the first text.
        var version: String { self.isReplacement ? "\(self.since)" : "" }
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
            maxSplits: 3,
            omittingEmptySubsequences: false
        ).map(String.init)
        if parts == ["live"] {
            self = .live
        } else if parts.count == 4, let since = Int64(parts[1]),
            ["first", "next"].contains(parts[0])
        {
            self = .complete(
                Text(
                    digest: parts[2],
                    since: since,
                    isReplacement: parts[0] == "next",
                    tag: parts[3].isEmpty ? nil : parts[3]
                )
            )
        } else {
            return nil
        }
    }

    var validator: Validator {
        switch self {
        case .live: .revision("\(Self.start)live")
        case .complete(let text):
            .revision(
                "\(Self.start)\(text.isReplacement ? "next" : "first") \(text.since) \(text.digest)"
                    + " \(text.tag ?? "")"
            )
        }
    }
}
