// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides with what the next page of a bucket is asked for: pages in, places out.
///
/// A store's token leads on while it changes. Where it does not, or where a store says that there is more and gives no
/// token, the last key leads on (`start-after`; `marker` of version 1), and each page must then go further than the one
/// before: a store that ignores that, too, would tell the same for ever.
struct S3Cursor: Hashable, Sendable {
    /// Where a page starts.
    enum Place: Hashable, Sendable {
        case start
        /// Behind what the store's own token stands for.
        case token(String)
        /// Behind a key.
        case after([UInt8])
    }

    /// Where the next page starts; `nil` after the last.
    private(set) var place: Place? = .start
    /// The last key by its bytes, as stores order them.
    private var last: [UInt8] = []

    /// A page came.
    ///
    /// - Returns: whether the listing is whole or goes on; `false` where the store says that there is more and does not
    ///   tell it.
    mutating func received(_ page: S3Listing) -> Bool {
        guard page.isTruncated else {
            self.place = nil
            return true
        }
        // A folder's keys end before the greatest sign, so that none of them is told as the same folder again.
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
