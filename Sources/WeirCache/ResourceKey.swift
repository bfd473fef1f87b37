// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirSource

/// Identifies a resource of the cache by its location and its account.
///
/// Two accounts may read different files from the same location, so each account has a scope. A
/// scope is never a credential. The location may contain a signature in its query. Therefore it is
/// hashed and not stored: neither the key nor any file of the cache contains it.
package struct ResourceKey: Hashable, Sendable {
    /// The resource's name in file names and on the command line.
    ///
    /// 32 hexadecimal digits: the first half of SHA-256 over the scope, a zero byte and the
    /// location.
    package let identifier: String
    /// The account of these bytes, as lists of the cache show it; empty for requests without a
    /// credential.
    package let account: String
    /// The location without query and user information, which may be shown and stored.
    package let display: String

    /// The identifier's bits.
    let id: ResourceID

    /// Names a resource.
    ///
    /// - Parameters:
    ///   - location: the whole location, without those parts of its query that change from one day
    ///     to the next; it is not stored.
    ///   - account: the name of the account of these bytes, as lists of the cache show it.
    ///   - scope: separates the bytes from other accounts' bytes; used for the identifier only;
    ///     `nil` means the account.
    ///   - display: the text that lists of the cache show; it must contain no secret, since it is
    ///     stored.
    package init(location: String, account: String, scope: String? = nil, display: String) {
        var hash = SHA256()
        hash.update(data: Array((scope ?? account).utf8))
        hash.update(data: [0])
        hash.update(data: Array(location.utf8))
        let digest = Array(hash.finalize())
        self.id = ResourceID(
            high: Self.word(digest[..<8]),
            low: Self.word(digest[8..<16])
        )
        self.identifier = self.id.description
        self.account = account
        self.display = display
    }

    /// Names a known resource by its identifier, without its location.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits, as in ``identifier``; the result is `nil` for any
    ///     other text.
    ///   - account: the name of the account of these bytes.
    ///   - display: the text that lists of the cache show.
    package init?(identifier: String, account: String, display: String) {
        guard let id = ResourceID(identifier) else { return nil }
        self.id = id
        self.identifier = id.description
        self.account = account
        self.display = display
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Two keys are equal if their identifiers are; the shown texts do not matter.
    package static func == (left: ResourceKey, right: ResourceKey) -> Bool {
        left.id == right.id
    }

    /// Hashes the identifier.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}

/// Gives every generation a new name: 48 bits of milliseconds and 16 random bits.
///
/// Each name is larger than the previous one, and than every name that was found on disk.
struct GenerationSequence: Sendable {
    private var last: UInt64

    /// Starts after a name; 0 starts from the beginning.
    init(after last: UInt64 = 0) {
        self.last = last
    }

    /// Makes later names larger than one that is in use.
    mutating func skip(_ id: GenerationID) {
        self.last = max(self.last, id.rawValue)
    }

    /// The next name, at a time in milliseconds since 1970.
    ///
    /// If the clock was set back, each name is the previous name plus 1. When all 64 bits are used
    /// up, for example after a forged file name, names start again at the clock's time.
    mutating func next(at milliseconds: Int64, chance: UInt16) -> GenerationID {
        let time = UInt64(max(0, milliseconds)) & 0xFFFF_FFFF_FFFF
        let wanted = time << 16 | UInt64(chance)
        self.last = wanted > self.last || self.last == .max ? wanted : self.last + 1
        return GenerationID(rawValue: self.last)
    }
}
