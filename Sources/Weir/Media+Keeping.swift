// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCache
import WeirSharing
import WeirSource

// Operations on a medium other than playing.
extension Media {
    /// Reads a range into one piece of memory.
    ///
    /// Held bytes are read from the disk; missing bytes are fetched and stored.
    ///
    /// - Parameter range: the bytes; the part past the end of the medium is cut off. Keep the range small, because
    ///   all its bytes are in memory at once.
    /// - Returns: the bytes; none for an empty range, and for a range that starts at the end.
    /// - Throws: ``/WeirSource/SourceError``, with `rangeNotSatisfiable` for a range that starts past the end;
    ///   `CancellationError`.
    public func data(in range: Range<Int64>) async throws -> Data {
        var data = Data()
        for try await chunk in try await self.read(.span(range)) {
            try chunk.memory().withUnsafeBytes { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Keeps the medium regardless of the library's limits, until ``unpin()``.
    ///
    /// The cache keeps the bytes that it holds now and those that readers play later. ``fetch(progress:)`` fetches
    /// the rest, and so does `prefetch: .whole` in the request. If nothing of the medium is held yet, the call fetches
    /// its first byte. For a file of this machine the call does nothing.
    ///
    /// - Throws: ``/WeirCache/CacheError``; ``/WeirSource/SourceError`` if nothing is held and the first byte
    ///   cannot be fetched, with `cacheFailed` if it cannot be stored; `CancellationError`.
    public func pin() async throws {
        guard let identifier else { return }
        if try await self.access.found(.pin(identifier, true)) { return }
        _ = try await self.data(in: 0..<1)
        guard try await self.access.found(.pin(identifier, true)) else {
            throw SourceError(
                .cacheFailed,
                "\(self.display) cannot be pinned, because the cache could not keep any of it; check whether the disk"
                    + " is full, or whether the origin forbids storing it."
            )
        }
    }

    /// Applies the library's limits to the medium again.
    ///
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    public func unpin() async throws {
        guard let identifier else { return }
        _ = try await self.access.found(.pin(identifier, false))
    }

    /// Removes the held bytes of the medium from the cache, and its download from the queue.
    ///
    /// Its current readers go on; later readers start with no held bytes. A file of this machine stays where it is.
    ///
    /// - Returns: whether anything was held.
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    @discardableResult
    public func remove() async throws -> Bool {
        guard let identifier else { return false }
        return try await self.access.remove(identifier)
    }

    /// Compares all held bytes of the medium with their checksums; damaged bytes will be fetched again.
    ///
    /// - Returns: the result of the check; `nil` if nothing is held.
    /// - Throws: ``/WeirCache/CacheError``, `CancellationError`.
    public func verify() async throws -> CacheVerification? {
        guard let identifier,
            case .verified(let found) = try await self.access.perform(.verify(identifier))
        else { return nil }
        return found
    }
}
