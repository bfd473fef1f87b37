// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirSource

/// A named place that media are opened, listed and served from.
struct MediaSource: Sendable {
    enum Location: Sendable {
        /// An origin, whose URL is on the command line; the paths are the origin's own.
        case origin(OriginURL)
        /// A folder of a web server, from the configuration; players' paths are appended to its URL byte for byte.
        case webFolder(OriginURL)
        /// A folder of this machine.
        ///
        /// `only` is the named file, if the user named a file. Nothing else is served then, unless that file is a
        /// playlist.
        case files(FileStorage, only: FolderPath?)
        /// A cloud or a WebDAV server.
        case service(CloudStorage)
    }

    /// The first component of the path for players.
    let name: String
    /// Its location, for people.
    let display: String
    let location: Location
    /// The headers of every request to a web server.
    var headers = HTTPHeaderList()
    var account: String?
    var load: LoadPolicy?
    var volatileQuery: Set<String> = []
    /// The rule that compares two versions of a file; `nil` for the library's.
    var validator: ValidatorPolicy?
    /// The decryption of its media; `nil` if they are passed on unchanged, and for a list, which needs no key.
    var decryption: Decryption?
    /// Whether the user has given decryption settings for its media.
    var isEncrypted = false
    /// Recent failures of its origin.
    let state = OriginState()

    /// Its name at the beginning of a sentence.
    var subject: String {
        if case .origin = self.location { self.display } else { "\(self.name):" }
    }

    /// The path of its base for players, after the name; begins with a slash.
    var basePath: String {
        switch self.location {
        case .origin(let address): address.path
        case .files(_, let only?): ServedPath.encoded(only)
        case .webFolder, .files, .service: "/"
        }
    }

    /// The name for a copy of its base: the last component of the named URL, or the source's name.
    var folderName: String {
        guard case .origin(let address) = self.location,
            let last = address.path.split(separator: "/").last
        else { return self.name }
        return FolderPath.name(ofBytes: PercentCoding.decodedBytes(last)) ?? self.name
    }

    /// The storage that knows the kind of each path; `nil` for a web server, whose paths do not show which of them are
    /// folders.
    var knownStorage: (any MediaStorage)? {
        switch self.location {
        case .origin, .webFolder: nil
        case .files(let storage, _): storage
        case .service(let storage): storage
        }
    }

    /// Whether its folders are on this machine.
    var isLocal: Bool { if case .files = self.location { true } else { false } }

    /// The storage for look-ups and listings.
    ///
    /// A web server's folders are listed by WebDAV, or from its index pages. If the origin is away or Weir is
    /// offline, the cache replaces the listings, as `view` says.
    func storage(in library: MediaLibrary, view: KeptStorage.View) -> KeptStorage {
        KeptStorage(self.origin(in: library), of: self, in: library, view: view)
    }

    /// The storage of the origin, without stored listings.
    func origin(in library: MediaLibrary) -> any MediaStorage {
        switch self.location {
        case .files(let files, _): files
        case .origin(let address): self.storage(of: address, named: nil, in: library)
        case .webFolder(let address): self.storage(of: address, named: self.name, in: library)
        case .service(let service): service
        }
    }

    private func storage(of address: OriginURL, named name: String?, in library: MediaLibrary)
        -> CloudStorage
    {
        var headers = self.headers
        headers.remove("Authorization")
        // The user has configured a named source, so ignore its `no-store`, which is meant for browsers.
        let state = name == nil ? self.state : nil
        return library.storage(
            of: WebDAV(
                name: name,
                base: address,
                authorizer: self.headers.first(named: "Authorization").map {
                    HeaderAuthorizer(value: $0.value, credentialPlace: $0.place)
                },
                headers: headers,
                mayBePlain: true,
                whenStoringIsForbidden: { state?.forbidStoring() },
                client: library.serviceClient
            )
        )
    }

    /// The medium for a path and a query after the name; `nil` if the source does not serve them.
    func media(for target: Substring, in library: MediaLibrary) -> Media? {
        switch self.location {
        case .origin(let address): address.url(at: target).map { self.media($0, in: library) }
        case .webFolder(let address): address.url(below: target).map { self.media($0, in: library) }
        case .files(let storage, let only): self.media(target, of: storage, only, in: library)
        case .service(let storage): self.media(target, of: storage, nil, in: library)
        }
    }

    private func media(_ url: OriginURL, in library: MediaLibrary) -> Media {
        library.media(
            url,
            headers: self.headers,
            account: self.account,
            load: self.load,
            volatileQuery: self.volatileQuery,
            validator: self.validator,
            decryption: self.decryption
        )
    }

    private func media(
        _ target: Substring,
        of storage: any MediaStorage,
        _ only: FolderPath?,
        in library: MediaLibrary
    ) -> Media? {
        // The named file is served whatever its name.
        let isOnly = only.map { target == ServedPath.encoded($0) } ?? false
        guard let path = isOnly ? only : ServedPath.decoded(target), !path.isFolder else {
            return nil
        }
        if let only, path != only, !ServedPath.isPlaylist("\(only)") { return nil }
        return library.media(
            path,
            in: storage,
            account: self.account,
            load: self.load,
            decryption: self.decryption
        )
    }

    /// The path for players of a medium, derived from its display name; `nil` if it belongs to another source.
    func target(ofMediaCalled display: String) -> String? {
        func rest(behind start: String) -> Substring? {
            guard display.utf8.starts(with: start.utf8) else { return nil }
            return display[display.utf8.index(display.startIndex, offsetBy: start.utf8.count)...]
        }
        switch self.location {
        case .origin(let address):
            let site = address.display.dropLast(address.path.count)
            return rest(behind: String(site)).flatMap { $0.hasPrefix("/") ? String($0) : nil }
        case .webFolder(let address):
            let site = address.display.dropLast(address.path.count)
            return rest(behind: "\(site)\(address.folder)").map { "/\($0)" }
        case .files(let storage as any MediaStorage, _), .service(let storage as any MediaStorage):
            guard let root = try? FolderPath("/") else { return nil }
            return rest(behind: storage.displayName(of: root))
                .flatMap { try? FolderPath("/\($0)") }.map(ServedPath.encoded)
        }
    }

    /// The cache key of the file or folder at a path of the storage; `nil` for local files.
    func key(of path: FolderPath, in library: MediaLibrary) -> ResourceKey? {
        let target = self.target(of: path)
        switch self.location {
        case .files: return nil
        case .service(let storage): return library.key(of: path, in: storage, self.account)
        case .origin(let address):
            return address.url(at: target[...]).map { self.key(of: $0, in: library) }
        case .webFolder(let address):
            return address.url(below: target[...]).map { self.key(of: $0, in: library) }
        }
    }

    /// The identifier of the resource at the named URL; `nil` for a configured source.
    func ownIdentifier(in library: MediaLibrary) -> String? {
        guard case .origin(let address) = self.location else { return nil }
        return self.key(of: address, in: library).identifier
    }

    private func key(of url: OriginURL, in library: MediaLibrary) -> ResourceKey {
        library.key(of: url, self.headers, self.account, self.volatileQuery)
    }

    /// The storage path of a cached resource; `nil` if it does not belong to this source.
    func path(of resource: CachedResource, in library: MediaLibrary) -> FolderPath? {
        guard let target = self.target(ofMediaCalled: resource.display) else { return nil }
        var below = target[...]
        if case .origin(let address) = self.location {
            guard target.utf8.starts(with: address.folder.utf8) else { return nil }
            below = below.dropUTF8(address.folder.utf8.count - 1)
        }
        guard let path = ServedPath.decoded(below), !path.isFolder,
            self.key(of: path, in: library)?.identifier == resource.identifier
        else { return nil }
        return path
    }

    /// The path for players of a file in the storage.
    func target(of path: FolderPath) -> String {
        guard case .origin(let address) = self.location else { return ServedPath.encoded(path) }
        return "\(address.folder)\(ServedPath.encoded(path).dropFirst())"
    }
}

extension Substring {
    /// The text without its first bytes, even if the cut is inside a character.
    fileprivate func dropUTF8(_ count: Int) -> Substring {
        self[self.utf8.index(self.startIndex, offsetBy: count)...]
    }
}

/// Sends the user's `Authorization` header.
private struct HeaderAuthorizer: RequestAuthorizer {
    let value: String
    let credentialPlace: String?

    var credentialScope: CredentialScope { .credential(self.value) }

    func authorization(method: String, url: OriginURL) async throws -> String? { self.value }

    func refused(_ authorization: String?, challenges: [String]) async throws -> Bool { false }
}
