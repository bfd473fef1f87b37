// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirSource

/// What tells one resource of the cache from another: where it is, and whose it is.
///
/// The same location read by two accounts may be two files, so each has a scope. A scope is never a credential. The location
/// may hold a signature in its query, so it is hashed and then forgotten: neither the key nor any file of the cache holds it.
package struct ResourceKey: Hashable, Sendable {
    /// 32 hexadecimal digits, the first half of SHA-256 over the scope, a zero byte and the
    /// location: the resource's name in file names and on the command line.
    package let identifier: String
    /// The account whose bytes these are, as lists of the cache show it; empty for requests without a credential.
    package let account: String
    /// What may be shown and stored: the location without query and user information.
    package let display: String

    /// The identifier's bits.
    let id: ResourceID

    /// Names a resource.
    ///
    /// - Parameters:
    ///   - location: the whole location, without the parts of its query that change from one day
    ///     to the next; it is not kept.
    ///   - account: the name of the account whose bytes these are, as a list of the cache shows it.
    ///   - scope: what keeps its bytes apart from those of others, a part of the identifier alone; `nil`: the account.
    ///   - display: what a list of the cache shows; it must hold no secret, since it is stored.
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

    /// Names a resource that was named before, without its location.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits, as ``identifier`` gives them; `nil` is returned for anything else.
    ///   - account: the name of the account whose bytes these are.
    ///   - display: what a list of the cache shows.
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

    /// Two keys are one when their identifiers are; what is shown does not matter.
    package static func == (left: ResourceKey, right: ResourceKey) -> Bool {
        left.id == right.id
    }

    /// Hashes the identifier.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}

/// Gives every generation a name that none had before: 48 bits of milliseconds, 16 bits of chance,
/// always larger than the last one given and than every one that was found on disk.
struct GenerationSequence: Sendable {
    private var last: UInt64

    /// Starts after a name; 0 if there is none.
    init(after last: UInt64 = 0) {
        self.last = last
    }

    /// Makes sure that the names to come are larger than one that is in use.
    mutating func skip(_ id: GenerationID) {
        self.last = max(self.last, id.rawValue)
    }

    /// The next name, at a time in milliseconds since 1970.
    ///
    /// A clock that was set back only makes the names closer to each other. When all 64 bits are used
    /// up, which a forged file name can bring about, names start again in the clock's order.
    mutating func next(at milliseconds: Int64, chance: UInt16) -> GenerationID {
        let time = UInt64(max(0, milliseconds)) & 0xFFFF_FFFF_FFFF
        let wanted = time << 16 | UInt64(chance)
        self.last = wanted > self.last || self.last == .max ? wanted : self.last + 1
        return GenerationID(rawValue: self.last)
    }
}
