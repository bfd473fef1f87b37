// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCache
import WeirSharing
import WeirSource

// What is done with a medium beside playing it.
extension Media {
    /// Reads a range as one piece of memory.
    ///
    /// What is held is read from the disk, what is missing is fetched and kept.
    ///
    /// - Parameter range: the bytes; what lies past the end of the medium is cut off. Keep it small: the memory that it
    ///   takes is the range's.
    /// - Returns: the bytes; none for an empty range, and for one that starts at the end.
    /// - Throws: ``/WeirSource/SourceError``, with `rangeNotSatisfiable` for a range that starts past the end;
    ///   `CancellationError`.
    public func data(in range: Range<Int64>) async throws -> Data {
        var data = Data()
        for try await chunk in try await self.read(.span(range)) {
            try chunk.memory().withUnsafeBytes { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Keeps the medium whatever the library's limits are, until ``unpin()``.
    ///
    /// What is held now and what will be played is kept. ``fetch(progress:)`` fetches the rest, and so does `keep: .whole`
    /// in the request. A medium of which nothing is held yet is asked for its first byte. A file of this machine is where
    /// it is already.
    ///
    /// - Throws: ``/WeirCache/CacheError``; ``/WeirSource/SourceError`` if nothing is held and the first byte cannot be
    ///   had, with `cacheFailed` if it cannot be kept; `CancellationError`.
    public func pin() async throws {
        guard let identifier else { return }
        if try await self.access.found(.pin(identifier, true)) { return }
        _ = try await self.data(in: 0..<1)
        guard try await self.access.found(.pin(identifier, true)) else {
            throw SourceError(
                .cacheFailed,
                "\(self.display) cannot be pinned, because nothing of it could be kept; see whether the disk is full, or"
                    + " whether the origin forbids that it is stored."
            )
        }
    }

    /// Lets the library's limits hold for the medium again.
    ///
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    public func unpin() async throws {
        guard let identifier else { return }
        _ = try await self.access.found(.pin(identifier, false))
    }

    /// Takes what is held of the medium out of the cache, and its download out of the queue; its readers go on, later ones
    /// start afresh.
    ///
    /// A file of this machine stays where it is.
    ///
    /// - Returns: whether anything was held.
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    @discardableResult
    public func remove() async throws -> Bool {
        guard let identifier else { return false }
        return try await self.access.remove(identifier)
    }

    /// Compares everything that is held of the medium with its checksums; what is damaged will be fetched again.
    ///
    /// - Returns: what was found; `nil` if nothing is held.
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    public func verify() async throws -> CacheVerification? {
        guard let identifier,
            case .verified(let found) = try await self.access.perform(.verify(identifier))
        else { return nil }
        return found
    }
}
