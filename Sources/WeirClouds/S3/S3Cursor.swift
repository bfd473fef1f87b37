// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides where the next page of a bucket's listing starts.
///
/// The store's token is used if it differs from the one before. If it repeats, or if a store has
/// more entries but gives no token, the last key is used (`start-after`; `marker` of version 1).
/// Then each page must go further than the one before: a store that also ignores the key would send
/// the same page forever.
struct S3Cursor: Hashable, Sendable {
    /// The start of a page.
    enum Place: Hashable, Sendable {
        case start
        /// The position of the store's token.
        case token(String)
        /// Behind a key.
        case after([UInt8])
    }

    /// The start of the next page; `nil` after the last.
    private(set) var place: Place? = .start
    /// The last key in the order of bytes, which stores use.
    private var last: [UInt8] = []

    /// Moves to the start of the page after a received one.
    ///
    /// - Returns: whether the listing is complete or can continue; `false` if the store has more
    ///   entries but does not list them.
    mutating func received(_ page: S3Listing) -> Bool {
        guard page.isTruncated else {
            self.place = nil
            return true
        }
        // A folder's prefix gets the greatest scalar at its end: the next page starts behind all of
        // the folder's keys.
        let keys = page.objects.map(\.key) + page.prefixes.map { $0 + "\u{10FFFF}".utf8 }
        let newest = keys.max { $0.lexicographicallyPrecedes($1) } ?? []
        let isFurther = self.last.lexicographicallyPrecedes(newest)
        if isFurther { self.last = newest }
        if let token = page.continuation, self.place != .token(token), !self.isByKey {
            self.place = .token(token)
            return true
        }
        guard !self.last.isEmpty, isFurther || !self.isByKey else {
            self.place = nil
            return false
        }
        self.place = .after(self.last)
        return true
    }

    private var isByKey: Bool {
        if case .after = self.place { true } else { false }
    }
}
