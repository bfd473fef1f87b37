// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirCache
import WeirSharing

// The cached media, wherever the cache is: these work, too, while another process owns the directory.
extension MediaLibrary {
    /// How much the cache may hold, and for how long; may be changed at any time.
    ///
    /// While another process owns the directory, its limits hold.
    public var cacheLimits: CacheLimits {
        get { self.access.cacheLimits }
        set { self.access.cacheLimits = newValue }
    }

    /// Every resource in the cache, the one used last first.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func resources() async throws -> [CachedResource] {
        guard case .resources(let list) = try await self.access.perform(.list) else {
            throw self.access.lostError
        }
        return list
    }

    /// Takes a resource out of the cache.
    ///
    /// Its readers go on; later ones start afresh.
    ///
    /// - Parameter identifier: 32 hexadecimal digits, as a list gives them.
    /// - Returns: whether there was such a resource.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func remove(identifier: String) async throws -> Bool {
        try await self.found(.remove(identifier))
    }

    /// Takes everything out of the cache.
    ///
    /// Readers go on; later ones start afresh.
    ///
    /// - Returns: what there was; `nil` if the directory's owner does not say.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func removeAll() async throws -> Cache.Removal? {
        guard case .removed(let removal) = try await self.access.perform(.removeAll) else {
            return nil
        }
        return removal
    }

    /// Keeps a resource whatever the limits are, or no longer.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits, as a list gives them.
    ///   - isPinned: whether it is to be kept.
    /// - Returns: whether there is such a resource.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func pin(identifier: String, _ isPinned: Bool = true) async throws -> Bool {
        try await self.found(.pin(identifier, isPinned))
    }

    /// Compares everything that is held of a resource with its checksums.
    ///
    /// - Parameter identifier: 32 hexadecimal digits, as a list gives them.
    /// - Returns: what was found; `nil` if there is no such resource.
    /// - Throws: `CacheError`, `CancellationError`.
    public func verify(identifier: String) async throws -> Cache.Verification? {
        guard
            case .verified(let found) = try await self.access.perform(.verify(identifier))
        else { return nil }
        return found
    }

    /// Copies a resource that is held whole to a plain file.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits, as a list gives them.
    ///   - path: the file; replaced if it is there, and a link likewise, which is not followed.
    /// - Returns: how many bytes it has; `nil` if there is no such resource.
    /// - Throws: `CacheError`, `CancellationError`.
    public func export(identifier: String, to path: String) async throws -> Int64? {
        // The owner may work in another folder.
        let target = Cache.absolutePath(path)
        guard
            case .exported(let count) = try await self.access.perform(
                .export(identifier, path: target)
            )
        else { return nil }
        return count
    }

    private func found(_ command: CacheCommand) async throws -> Bool {
        guard case .found(let isFound) = try await self.access.perform(command) else {
            return false
        }
        return isFound
    }
}
