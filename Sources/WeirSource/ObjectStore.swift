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
    /// - Returns: its bytes; `nil` if there is none, or none yet.
    /// - Throws: `SourceError`, with `damaged` for an object that has more bytes; `CancellationError`.
    func object(_ key: String, limit: Int) async throws -> [UInt8]?

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
