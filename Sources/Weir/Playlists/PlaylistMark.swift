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
    ///
    /// - Parameters:
    ///   - digest: the digest of the stored text, in hexadecimal digits.
    ///   - tag: the strong entity tag that the origin gave the text; `nil` without one.
    ///   - replaces: whether the origin had another text under this address before.
    case complete(digest: String, tag: String?, replaces: Bool)

    private static let start = "hls1 "

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
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        switch (parts.first, parts.count) {
        case ("live", 1): self = .live
        case ("first", 3), ("next", 3):
            self = .complete(
                digest: String(parts[1]),
                tag: parts[2].isEmpty ? nil : String(parts[2]),
                replaces: parts[0] == "next"
            )
        default: return nil
        }
    }

    var validator: Validator {
        switch self {
        case .live: .revision("\(Self.start)live")
        case .complete(let digest, let tag, let replaces):
            .revision("\(Self.start)\(replaces ? "next" : "first") \(digest) \(tag ?? "")")
        }
    }

    /// Whether the resource of a slice is a playlist; cheap, since it is asked for each request.
    static func isIn(_ description: ResourceDescription) -> Bool {
        if case .revision = description.validator { self.init(description) != nil } else { false }
    }
}
