// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirSource

/// Something under a name in which media are opened and listed, and from which they are served.
struct MediaSource: Sendable {
    enum Location: Sendable {
        /// An origin that the command line names by its URL; paths are the origin's own.
        case origin(WebAddress)
        /// A folder of a web server, from the configuration; paths that players ask for are put behind its URL byte for
        /// byte.
        case webFolder(WebAddress)
        /// A folder of this machine. `only` is the one file that was named, where one was: nothing else is served, unless
        /// it is a playlist.
        case files(FileStorage, only: FolderPath?)
        /// A cloud or a WebDAV server.
        case service(CloudStorage)
    }

    /// The first component of the path, as players see it.
    let name: String
    /// Where it is, for people.
    let display: String
    let location: Location
    /// Sent with every request to a web server.
    var headers = HTTPHeaderList()
    var account: String?
    var load: LoadPolicy?
    var volatileQuery: Set<String> = []
    /// What tells two versions of a file apart, if not as the library's configuration says.
    var validator: ValidatorPolicy?
    /// How its media are decrypted; `nil` where they are passed on as they are, and in a list, which needs no key.
    var decryption: Decryption?
    /// Whether its media are encrypted in a way that is known.
    var isEncrypted = false
    /// What was seen of its origin.
    let state = OriginState()

    /// How it is called at the beginning of a sentence.
    var subject: String {
        if case .origin = self.location { self.display } else { "\(self.name):" }
    }

    /// The path of its base, as players see it behind the name; with a leading slash.
    var basePath: String {
        switch self.location {
        case .origin(let address): address.url.path
        case .files(_, let only?): ServedPath.encoded(only)
        case .webFolder, .files, .service: "/"
        }
    }

    /// What a copy of its base is called: as the folder of the URL that was named, or as the source.
    var folderName: String {
        guard case .origin(let address) = self.location,
            let last = address.url.path.split(separator: "/").last
        else { return self.name }
        return FolderPath.name(ofBytes: PercentCoding.decodedBytes(last)) ?? self.name
    }

    /// The storage that knows the kind of each path; `nil` for a web server, which knows no folders.
    var knownStorage: (any MediaStorage)? {
        switch self.location {
        case .origin, .webFolder: nil
        case .files(let storage, _): storage
        case .service(let storage): storage
        }
    }

    /// Whether its folders lie on this machine.
    var isLocal: Bool { if case .files = self.location { true } else { false } }

    /// The storage that names are looked up and listed in.
    ///
    /// Folders of a web server are listed as it can: by WebDAV, or by the pages that it makes of them. Where its origin is
    /// away or must not be asked, folders are what is kept of them, as `view` says.
    func storage(in library: MediaLibrary, view: KeptStorage.View) -> KeptStorage {
        KeptStorage(self.origin(in: library), of: self, in: library, view: view)
    }

    /// The storage that is asked, whatever is kept of it.
    func origin(in library: MediaLibrary) -> any MediaStorage {
        switch self.location {
        case .files(let files, _): files
        case .origin(let address): self.storage(of: address, named: nil, in: library)
        case .webFolder(let address): self.storage(of: address, named: self.name, in: library)
        case .service(let service): service
        }
    }

    private func storage(of address: WebAddress, named name: String?, in library: MediaLibrary)
        -> CloudStorage
    {
        var headers = self.headers
        headers.remove("Authorization")
        // To write a source down is to say that its files are wanted here, whatever its server says of browsers.
        let state = name == nil ? self.state : nil
        return library.storage(
            of: WebDAV(
                name: name,
                base: address.url,
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

    /// The medium behind a path and a query, as players see them behind the name; `nil` if there is none.
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
        // The one file that was named is served whatever its name.
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

    /// The path under which players may see a medium, judging by what it is called in sentences; `nil` if that is none of
    /// this source.
    func target(ofMediaCalled display: String) -> String? {
        func rest(behind start: String) -> Substring? {
            guard display.utf8.starts(with: start.utf8) else { return nil }
            return display[display.utf8.index(display.startIndex, offsetBy: start.utf8.count)...]
        }
        switch self.location {
        case .origin(let address):
            let site = address.url.display.dropLast(address.url.path.count)
            return rest(behind: String(site)).flatMap { $0.hasPrefix("/") ? String($0) : nil }
        case .webFolder(let address):
            let site = address.url.display.dropLast(address.url.path.count)
            return rest(behind: "\(site)\(address.folder)").map { "/\($0)" }
        case .files(let storage as any MediaStorage, _), .service(let storage as any MediaStorage):
            guard let root = try? FolderPath("/") else { return nil }
            return rest(behind: storage.displayName(of: root))
                .flatMap { try? FolderPath("/\($0)") }.map(ServedPath.encoded)
        }
    }

    /// The key of the file or folder at a path of the storage; `nil` for what is kept nowhere.
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

    /// The identifier of the resource of the URL that was named; `nil` for a source of the configuration.
    func ownIdentifier(in library: MediaLibrary) -> String? {
        guard case .origin(let address) = self.location else { return nil }
        return self.key(of: address.url, in: library).identifier
    }

    private func key(of url: OriginURL, in library: MediaLibrary) -> ResourceKey {
        library.key(of: url, self.headers, self.account, self.volatileQuery)
    }

    /// The path of the storage that the cache holds a resource under; `nil` if it is none of this source's.
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

    /// The path under which players see a file of the storage.
    func target(of path: FolderPath) -> String {
        guard case .origin(let address) = self.location else { return ServedPath.encoded(path) }
        return "\(address.folder)\(ServedPath.encoded(path).dropFirst())"
    }
}

extension Substring {
    /// The text without so many bytes in front, whatever signs they begin.
    fileprivate func dropUTF8(_ count: Int) -> Substring {
        self[self.utf8.index(self.startIndex, offsetBy: count)...]
    }
}

/// Sends the `Authorization` that the user gave.
private struct HeaderAuthorizer: RequestAuthorizer {
    let value: String
    let credentialPlace: String?

    var credentialScope: CredentialScope { .credential(self.value) }

    func authorization(method: String, url: OriginURL) async throws -> String? { self.value }

    func refused(_ authorization: String?, challenges: [String]) async throws -> Bool { false }
}
