// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A store of small objects, each written once, that several machines share.
///
/// It may be only eventually consistent, fail, be slow, or lie: whoever reads it compares what it gives.
package protocol ObjectStore: Sendable {
    /// An object.
    ///
    /// - Parameters:
    ///   - key: what it is called: ASCII letters, digits, `-` and `/`.
    ///   - limit: how many bytes it has at most.
    /// - Returns: the object; `nil` if there is none, or none yet.
    /// - Throws: `SourceError`, with `damaged` for an object that has more bytes; `CancellationError`.
    func object(_ key: String, limit: Int) async throws -> StoredObject?

    /// Writes an object.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - key: what it is called.
    ///   - replaces: whether it takes the place of one that is there.
    /// - Returns: false if there is one, which stays.
    /// - Throws: `SourceError`, `CancellationError`.
    func put(_ bytes: [UInt8], as key: String, replacing replaces: Bool) async throws -> Bool

    /// What some objects are called, in the order of their bytes; not all of them where there are many.
    ///
    /// - Parameters:
    ///   - prefix: what their keys begin with.
    ///   - start: the first that is wanted, whether or not there is one called so.
    /// - Returns: the keys, of which more may follow the last, and whether these are all.
    /// - Throws: `SourceError`, `CancellationError`.
    func keys(
        beginningWith prefix: String,
        from start: String
    ) async throws -> (keys: [String], areAll: Bool)
}

/// Why a store does not answer now: the cause of its error, where it says when it will (`Retry-After`).
package struct RetryLater: Error, Hashable {
    /// After how long it may be asked again.
    package let delay: Duration

    /// Describes the wish.
    package init(after delay: Duration) { self.delay = delay }
}

/// An object as a store gives it.
package struct StoredObject: Sendable, Hashable {
    /// All of it.
    package var bytes: [UInt8]
    /// How many seconds ago it was written, by the store's own clock; `nil` where the store does not tell.
    package var age: Int64?
    /// What the store's clock said when it answered, in seconds since 1970; `nil` where the store does not tell.
    package var date: Int64?

    /// Describes an object.
    package init(_ bytes: [UInt8], age: Int64? = nil, date: Int64? = nil) {
        self.bytes = bytes
        self.age = age
        self.date = date
    }
}
