// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCache
public import WeirCipher
import WeirHTTP
import WeirSharing
import WeirSource

// The cached media, wherever the cache is: these work, too, while another process owns the directory.
extension MediaLibrary {
    /// Whether the cache is open: this process owns its folder, or uses it through the one that does.
    package var hasCache: Bool { self.access.isOpen }

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

    /// A medium of what the cache lists.
    ///
    /// The cache stores no query, no header and no credential. Where the stored address with these headers is that of the
    /// resource, the medium is the one that ``media(_:headers:account:)`` gives. Any other medium plays what is held; for a
    /// byte that is missing its reader gets `offline`, unless the resource is open under its whole address, too.
    ///
    /// - Parameters:
    ///   - resource: as ``resources()`` gives it.
    ///   - headers: what the origin is told, by the field's name; never stored.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium, made now or before; nothing is asked yet.
    public func media(
        for resource: CachedResource,
        headers: [String: String] = [:],
        decryption: Decryption? = nil
    ) -> Media {
        let account = CacheScope.isNamed(resource.account) ? resource.account : nil
        if let url = try? OriginURL(resource.display),
            let headers = try? HTTPHeaderList(headers),
            self.key(of: url, headers, account, []).identifier == resource.identifier
        {
            return self.media(url, headers: headers, account: account, decryption: decryption)
        }
        let key = ResourceKey(
            identifier: resource.identifier,
            account: resource.account,
            display: resource.display
        )
        guard let key else {
            return self.refused(
                resource.display,
                SourceError(
                    .notFound,
                    "\(resource.display) is no resource of a cache; take one that resources() gives."
                )
            )
        }
        return self.media(
            MediaIdentity(
                key: key,
                headers: HTTPHeaderList(),
                decryption: decryption?.identity,
                isUnlocated: true
            ),
            load: self.policy(nil, hasCredential: false),
            decryption: decryption
        ) {
            FailingSource { range in
                SourceError(
                    .offline,
                    "\(resource.display) is not in the cache from byte \(range?.knownLowerBound ?? 0) on, and the cache does"
                        + " not know its whole address; ask the library for it by its address."
                )
            }
        }
    }

    /// Takes a resource out of the cache, and its download out of the queue.
    ///
    /// Its readers go on; later ones start afresh.
    ///
    /// - Parameter resource: as ``resources()`` gives it; what is held of it now counts.
    /// - Returns: whether it was still there.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func remove(_ resource: CachedResource) async throws -> Bool {
        try await self.remove(identifier: resource.identifier)
    }

    /// Takes everything out of the cache.
    ///
    /// Readers go on; later ones start afresh.
    ///
    /// - Returns: what there was; `nil` if the directory's owner does not say.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func removeAll() async throws -> CacheRemoval? {
        self.listings.removeAll()
        guard case .removed(let removal) = try await self.access.perform(.removeAll) else {
            return nil
        }
        return removal
    }

    /// Keeps a resource whatever the limits are.
    ///
    /// - Parameter resource: as ``resources()`` gives it.
    /// - Returns: whether it was still there.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func pin(_ resource: CachedResource) async throws -> Bool {
        try await self.pin(identifier: resource.identifier, true)
    }

    /// Lets the limits hold for a resource again.
    ///
    /// - Parameter resource: as ``resources()`` gives it.
    /// - Returns: whether it was still there.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func unpin(_ resource: CachedResource) async throws -> Bool {
        try await self.pin(identifier: resource.identifier, false)
    }

    /// Compares everything that is held of a resource with its checksums; what is damaged will be fetched again.
    ///
    /// - Parameter resource: as ``resources()`` gives it.
    /// - Returns: what was found; `nil` if it is no longer there.
    /// - Throws: `CacheError`, `CancellationError`.
    public func verify(_ resource: CachedResource) async throws -> CacheVerification? {
        try await self.verify(identifier: resource.identifier)
    }

    /// Copies a resource that is held whole to a plain file, as it came from its origin.
    ///
    /// ``Media/export(to:progress:)`` fetches what is missing, and decrypts.
    ///
    /// - Parameters:
    ///   - resource: as ``resources()`` gives it.
    ///   - file: where to; replaced if it is there, and a link likewise, which is not followed.
    /// - Returns: how many bytes it has; `nil` if it is no longer there.
    /// - Throws: `CacheError`, with `incomplete` if not all of it is held; `CancellationError`.
    @discardableResult
    public func export(_ resource: CachedResource, to file: URL) async throws -> Int64? {
        try await self.export(
            identifier: resource.identifier,
            to: file.path(percentEncoded: false)
        )
    }
}

// The same by identifier, for those who have only that: 32 hexadecimal digits.
extension MediaLibrary {
    /// Takes a resource out of the cache; whether there was one.
    @discardableResult
    package func remove(identifier: String) async throws -> Bool {
        try await self.access.remove(identifier)
    }

    /// Keeps a resource whatever the limits are, or no longer; whether there is one.
    @discardableResult
    package func pin(identifier: String, _ isPinned: Bool = true) async throws -> Bool {
        try await self.access.found(.pin(identifier, isPinned))
    }

    /// Compares a resource with its checksums; `nil` if there is none.
    package func verify(identifier: String) async throws -> CacheVerification? {
        guard case .verified(let found) = try await self.access.perform(.verify(identifier)) else {
            return nil
        }
        return found
    }

    /// Copies a resource that is held whole to a plain file; `nil` if there is none.
    package func export(identifier: String, to path: String) async throws -> Int64? {
        // The owner may work in another folder.
        let target = Cache.absolutePath(path)
        guard
            case .exported(let count) = try await self.access.perform(
                .export(identifier, path: target)
            )
        else { return nil }
        return count
    }
}

extension CacheAccess {
    /// Takes a resource out of the cache, and first its download out of the queue, which would fetch it again.
    func remove(_ identifier: String) async throws -> Bool {
        try await self.perform(downloads: .remove(identifier, deletingBytes: false))
        return try await self.found(.remove(identifier))
    }

    /// Carries a command out that finds a resource or does not.
    func found(_ command: CacheCommand) async throws -> Bool {
        guard case .found(let isFound) = try await self.perform(command) else { return false }
        return isFound
    }
}
