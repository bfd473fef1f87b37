// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A store of small objects, each written once, that several machines share.
///
/// It may be only eventually consistent, fail, be slow, or return wrong bytes: the reader checks
/// each object.
package protocol ObjectStore: Sendable {
    /// Reads an object.
    ///
    /// - Parameters:
    ///   - key: the name of the object: ASCII letters, digits, `-` and `/`.
    ///   - limit: the most bytes that it may have.
    /// - Returns: the object; `nil` if the store does not have it, or not yet.
    /// - Throws: `SourceError`, with `damaged` for an object that has more bytes;
    ///   `CancellationError`.
    func object(_ key: String, limit: Int) async throws -> StoredObject?

    /// Writes an object.
    ///
    /// - Parameters:
    ///   - bytes: all bytes of the object.
    ///   - key: the name of the object.
    ///   - replaces: whether it replaces an existing object.
    /// - Returns: false if the store has an object of that name and keeps it.
    /// - Throws: `SourceError`, `CancellationError`.
    func put(_ bytes: [UInt8], as key: String, replacing replaces: Bool) async throws -> Bool

    /// Lists keys, in the order of their bytes; not all of them if there are many.
    ///
    /// - Parameters:
    ///   - prefix: the start of the keys.
    ///   - start: the first key to list; the store need not have it.
    /// - Returns: the keys, and whether these are all; if not, more keys follow the last.
    /// - Throws: `SourceError`, `CancellationError`.
    func keys(
        beginningWith prefix: String,
        from start: String
    ) async throws -> (keys: [String], areAll: Bool)
}

/// The cause of a store's error when the store says how long to wait (`Retry-After`).
package struct RetryLater: Error, Hashable {
    /// The delay until the next request is allowed.
    package let delay: Duration

    /// Makes the cause for a delay.
    package init(after delay: Duration) { self.delay = delay }
}

/// An object that a store has returned.
package struct StoredObject: Sendable, Hashable {
    /// All bytes of the object.
    package var bytes: [UInt8]
    /// How many seconds ago it was written, by the store's own clock; `nil` if the store does not
    /// report it.
    package var age: Int64?
    /// The store's clock at its response, in seconds since 1970; `nil` if the store does not report
    /// it.
    package var date: Int64?

    /// Describes an object.
    package init(_ bytes: [UInt8], age: Int64? = nil, date: Int64? = nil) {
        self.bytes = bytes
        self.age = age
        self.date = date
    }
}
