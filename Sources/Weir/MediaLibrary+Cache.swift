// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCache
public import WeirCipher
import WeirHTTP
import WeirSharing
import WeirSource

// The cached media. These members also work while another process owns the directory.
extension MediaLibrary {
    /// Whether the cache is open: this process owns its folder, or uses it through the owner.
    package var hasCache: Bool { self.access.isOpen }

    /// The size limit and the time limit of the cache; may be changed at any time.
    ///
    /// While another process owns the directory, the limits of that process apply.
    public var cacheLimits: CacheLimits {
        get { self.access.cacheLimits }
        set { self.access.cacheLimits = newValue }
    }

    /// Every resource in the cache, the most recently used first.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    public func resources() async throws -> [CachedResource] {
        guard case .resources(let list) = try await self.access.perform(.list) else {
            throw self.access.lostError
        }
        return list
    }

    /// A medium for a resource from the cache's list.
    ///
    /// The cache stores no query, no header and no credential. If the stored URL with these headers
    /// identifies the same resource, the medium is the one that ``media(_:headers:account:)``
    /// returns. Otherwise the medium plays the held bytes, and a reader of a missing byte gets
    /// `offline`, unless the resource is also open under its whole URL.
    ///
    /// - Parameters:
    ///   - resource: a resource from ``resources()``.
    ///   - headers: the headers for the origin, by field name; never stored.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium, made now or before; no request has been sent yet.
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
                    "\(resource.display) is not a resource of a cache; use one that resources() returns."
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

    /// Removes a resource from the cache, and its download from the queue.
    ///
    /// Its current readers go on; later readers start with no held bytes.
    ///
    /// - Parameter resource: a resource from ``resources()``; the call removes all bytes that the
    ///   cache holds now.
    /// - Returns: whether the cache still had the resource.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func remove(_ resource: CachedResource) async throws -> Bool {
        try await self.remove(identifier: resource.identifier)
    }

    /// Removes everything from the cache.
    ///
    /// Current readers go on; later readers start with no held bytes.
    ///
    /// - Returns: the removed resources; `nil` if the directory's owner does not report them.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func removeAll() async throws -> CacheRemoval? {
        self.listings.removeAll()
        guard case .removed(let removal) = try await self.access.perform(.removeAll) else {
            return nil
        }
        return removal
    }

    /// Keeps a resource regardless of the limits.
    ///
    /// - Parameter resource: a resource from ``resources()``.
    /// - Returns: whether the cache still has the resource.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func pin(_ resource: CachedResource) async throws -> Bool {
        try await self.pin(identifier: resource.identifier, true)
    }

    /// Applies the limits to a resource again.
    ///
    /// - Parameter resource: a resource from ``resources()``.
    /// - Returns: whether the cache still has the resource.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    public func unpin(_ resource: CachedResource) async throws -> Bool {
        try await self.pin(identifier: resource.identifier, false)
    }

    /// Compares all held bytes of a resource with their checksums; damaged bytes will be fetched
    /// again.
    ///
    /// - Parameter resource: a resource from ``resources()``.
    /// - Returns: the result of the check; `nil` if the cache no longer has the resource.
    /// - Throws: `CacheError`, `CancellationError`.
    public func verify(_ resource: CachedResource) async throws -> CacheVerification? {
        try await self.verify(identifier: resource.identifier)
    }

    /// Copies a resource that is held whole to a plain file, with the bytes as the origin sent
    /// them.
    ///
    /// ``Media/export(to:progress:)`` also fetches missing bytes, and decrypts.
    ///
    /// - Parameters:
    ///   - resource: a resource from ``resources()``.
    ///   - file: the file to write; an existing file is replaced. An existing link is replaced,
    ///     too, and not followed.
    /// - Returns: the length of the file in bytes; `nil` if the cache no longer has the resource.
    /// - Throws: `CacheError`, with `incomplete` if not all of it is held; `CancellationError`.
    @discardableResult
    public func export(_ resource: CachedResource, to file: URL) async throws -> Int64? {
        try await self.export(
            identifier: resource.identifier,
            to: file.path(percentEncoded: false)
        )
    }
}

// The same operations by identifier: 32 hexadecimal digits.
extension MediaLibrary {
    /// Removes a resource from the cache; returns whether the cache had it.
    @discardableResult
    package func remove(identifier: String) async throws -> Bool {
        try await self.access.remove(identifier)
    }

    /// Pins or unpins a resource; returns whether the cache has it.
    @discardableResult
    package func pin(identifier: String, _ isPinned: Bool = true) async throws -> Bool {
        try await self.access.found(.pin(identifier, isPinned))
    }

    /// Compares a resource with its checksums; `nil` if the cache does not have it.
    package func verify(identifier: String) async throws -> CacheVerification? {
        guard case .verified(let found) = try await self.access.perform(.verify(identifier)) else {
            return nil
        }
        return found
    }

    /// Copies a resource that is held whole to a plain file; `nil` if the cache does not have it.
    package func export(identifier: String, to path: String) async throws -> Int64? {
        // The owner may have another working directory.
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
    /// Removes a resource from the cache, and before that its download, which would fetch it again.
    func remove(_ identifier: String) async throws -> Bool {
        try await self.perform(downloads: .remove(identifier, deletingBytes: false))
        return try await self.found(.remove(identifier))
    }

    /// Performs a command, and returns whether it found the resource.
    func found(_ command: CacheCommand) async throws -> Bool {
        guard case .found(let isFound) = try await self.perform(command) else { return false }
        return isFound
    }
}
