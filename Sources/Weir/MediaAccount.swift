// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization
public import WeirCache
public import WeirClouds
import WeirSharing
import WeirSource

/// An account of a library: its media use its headers, and no other account sees their held bytes.
///
///     let me = library.account("me", headers: ["Authorization": "OAuth \(token)"])
///     let song = me.media(url)
///
/// The name identifies the account, regardless of its current credential. So media with a new token
/// find the bytes that were fetched with an old token. Two values with the same name are one
/// account: each sends its own headers, and both share the held bytes.
public struct MediaAccount: Sendable {
    /// The name; lists and files of the cache show nothing else about the account.
    public let name: String

    private let library: MediaLibrary
    private let headers: [String: String]
    private let credential: OAuthCredential?

    init(
        _ name: String,
        of library: MediaLibrary,
        headers: [String: String] = [:],
        credential: OAuthCredential? = nil
    ) {
        self.name = name
        self.library = library
        self.headers = headers
        self.credential = credential
    }

    /// A medium by its URL, as ``MediaLibrary/media(_:headers:account:)``, requested with the
    /// account's headers.
    ///
    /// - Parameter url: an `http` or `https` URL; the headers are sent to its host alone.
    /// - Returns: the medium, made now or before; no request has been sent yet.
    public func media(_ url: URL) -> Media { self.media(MediaRequest(url: url)) }

    /// A medium by a request, as ``MediaLibrary/media(_:)``.
    ///
    /// - Parameter request: its headers replace headers of the account with the same name; its
    ///   account is ignored.
    /// - Returns: the medium, made now or before; no request has been sent yet.
    public func media(_ request: MediaRequest) -> Media {
        var request = request
        let given = Set(request.headers.keys.map { $0.lowercased() })
        for (name, value) in self.headers where !given.contains(name.lowercased()) {
            request.headers[name] = value
        }
        request.account = self.name
        return self.library.media(request)
    }

    /// A service as a storage of the library, whose media belong to the account.
    ///
    /// - Parameter service: which service, with the account's credential.
    /// - Returns: as ``MediaLibrary/storage(_:)``.
    public func storage(_ service: StorageService) -> LibraryStorage {
        self.library.storage(service, account: self.name)
    }

    /// Logs the account out: removes its downloads, its bytes, including pinned ones, and its
    /// tokens.
    ///
    /// Its media of this library end with `closed`; a request for one of them makes a new medium.
    /// Other processes that play media of the account go on until they need the origin.
    ///
    /// - Returns: the removed resources.
    /// - Throws: ``/WeirCache/CacheError``; ``/WeirSource/SourceError`` if the tokens cannot be
    ///   removed; `CancellationError`.
    @discardableResult
    public func removeAll() async throws -> CacheRemoval {
        _ = try self.credential?.logOut()
        return try await self.library.removeAll(of: self.name)
    }
}

extension MediaLibrary {
    /// An account that origins recognise by headers.
    ///
    /// - Parameters:
    ///   - name: identifies the account in the cache; not a credential. An empty name means no
    ///     account.
    ///   - headers: the headers for origins, by field name; never stored.
    /// - Returns: the account; no request has been sent, and nothing is stored yet.
    public func account(_ name: String, headers: [String: String] = [:]) -> MediaAccount {
        MediaAccount(name, of: self, headers: headers)
    }

    /// An account that was logged in by OAuth; its name is the name of the credential's account.
    ///
    ///     let me = library.account(credential)
    ///     let disk = me.storage(.yandexDisk(credentials: credential))
    ///
    /// - Parameter credential: has the account's tokens, which ``MediaAccount/removeAll()`` removes
    ///   from its store.
    /// - Returns: the account.
    public func account(_ credential: OAuthCredential) -> MediaAccount {
        MediaAccount(credential.account.description, of: self, credential: credential)
    }

    /// Removes everything of an account except its tokens, and closes its media.
    ///
    /// - Returns: the removed resources.
    /// - Throws: `CacheError`, `CancellationError`.
    @discardableResult
    package func removeAll(of account: String) async throws -> CacheRemoval {
        let error = SourceError(
            .closed,
            "The account “\(account)” was removed from this library; log in and play it again."
        )
        // First end the transfers, then remove the bytes.
        for media in self.media.withLock({ $0.all }) where media.key?.account == account {
            await media.close(throwing: error)
        }
        for download in try await self.downloads.all() where download.account == account {
            try await self.downloads.remove(download.id)
        }
        var removal = CacheRemoval(resourceCount: 0, byteCount: 0)
        for resource in try await self.resources() where resource.account == account {
            guard try await self.remove(resource) else { continue }
            removal.resourceCount += 1
            removal.byteCount += resource.heldByteCount
        }
        self.listings.removeAll(of: account)
        return removal
    }
}
