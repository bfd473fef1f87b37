// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirSource

/// A place for opening, listing and serving media, and the path of a medium, a playlist or a folder
/// there.
struct MediaLocation: Sendable {
    enum Place: Sendable {
        /// A URL of the command line; the paths for players are the paths at the origin.
        case origin(OriginURL)
        /// A folder of a web server, from the configuration; players' paths are appended to its URL
        /// byte for byte.
        case webFolder(OriginURL)
        /// A folder of this machine.
        ///
        /// `only` is the named file, if the user named a file. Nothing else is served then, unless
        /// that file is a playlist.
        case files(FileStorage, only: FolderPath?)
        /// A cloud or a WebDAV server.
        case service(CloudStorage)
    }

    /// The first component of the path for players: the name of a source of the configuration, or
    /// `origin`.
    let name: String
    /// The address of the place, for people.
    let placeDisplay: String
    let place: Place
    /// The path and query for players, after the name.
    var target: String
    /// The path in the storage.
    var path = FolderPath.root
    /// The path on this machine as the user wrote it; `nil` for other places.
    var written: String?
    /// The path and query if the user's text is read as a part of a URL; `nil` if they equal
    /// ``target``.
    var urlTarget: String?
    /// Whether players may open only the named medium.
    ///
    /// If a folder is named, they may open the files in it; if a playlist is named, the files
    /// beside and below it.
    var servesOnlyNamed = false
    /// The headers of every request to a web server.
    var headers = HTTPHeaderList()
    var account: String?
    var load: LoadPolicy?
    var volatileQuery: Set<String> = []
    /// The rule that compares two versions of a file; `nil` for the library's rule.
    var validator: ValidatorPolicy?
    /// The decryption of the media; `nil` if Weir passes them on unchanged, and for a listing,
    /// which needs no key.
    var decryption: Decryption?
    /// Whether the user has given decryption settings for its media.
    var isEncrypted = false
    /// Recent failures of its origin.
    let state = OriginState()

    /// The name in messages.
    var display: String {
        if let written { return written }
        if case .origin = self.place { return self.placeDisplay }
        return "\(self.name):\(self.path)"
    }

    /// The name of the place at the beginning of a sentence.
    var subject: String {
        if case .origin = self.place { self.placeDisplay } else { "\(self.name):" }
    }

    /// The path of the place for players, after the name; begins with a slash.
    var basePath: String {
        switch self.place {
        case .origin(let url): url.path
        case .files(_, let only?): ServedPath.encoded(only)
        case .webFolder, .files, .service: "/"
        }
    }

    /// The name for a copy of the place: the last component of the named URL, or the source's name.
    var folderName: String {
        guard case .origin(let url) = self.place, let last = url.path.split(separator: "/").last
        else { return self.name }
        return FolderPath.name(ofBytes: PercentCoding.decodedBytes(last)) ?? self.name
    }

    /// The location of another path of the same place.
    func at(_ path: FolderPath) -> MediaLocation {
        var other = self
        (other.path, other.target) = (path, self.target(of: path))
        (other.written, other.urlTarget, other.servesOnlyNamed) = (nil, nil, false)
        return other
    }

    /// The path of a file in the storage, as players request it.
    func target(of path: FolderPath) -> String {
        guard case .origin(let url) = self.place else { return ServedPath.encoded(path) }
        return "\(url.folder)\(ServedPath.encoded(path).dropFirst())"
    }

    /// The path in the storage for a path and query after the name.
    ///
    /// - Returns: `nil` if the path is invalid, or outside the folder of the place.
    func path(of target: Substring) -> FolderPath? {
        guard case .origin(let url) = self.place else { return ServedPath.decoded(target) }
        guard target.utf8.starts(with: url.folder.utf8) else { return nil }
        let slash = target.utf8.index(target.startIndex, offsetBy: url.folder.utf8.count - 1)
        return ServedPath.decoded(target[slash...])
    }

    /// The URL on a web server for a path and query after the name; `nil` if the place does not
    /// serve them.
    private func url(of target: Substring) -> OriginURL? {
        switch self.place {
        case .origin(let url): url.url(at: target)
        case .webFolder(let url): url.url(below: target)
        case .files, .service: nil
        }
    }

    /// The medium for a path and query after the name; `nil` if the place does not serve them.
    func media(for target: Substring, in library: MediaLibrary) -> Media? {
        switch self.place {
        case .origin, .webFolder:
            return self.url(of: target).map { url in
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
        case .files(let storage, let only):
            return self.media(target, of: storage, only, in: library)
        case .service(let storage): return self.media(target, of: storage, nil, in: library)
        }
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
}

/// The names of the place's media in the cache.
extension MediaLocation {
    /// The identifiers that the cache may have for this location, read as a listed path and as a
    /// part of a URL.
    func identifiers(in library: MediaLibrary) -> [String] {
        [self.target, self.urlTarget].compactMap { target in
            target.flatMap { self.media(for: $0[...], in: library)?.cacheIdentifier }
        }
    }

    /// The path of a medium for players, derived from its display name; `nil` for a medium of
    /// another place.
    func target(ofMediaCalled display: String) -> String? {
        func rest(behind start: String) -> Substring? {
            guard display.utf8.starts(with: start.utf8) else { return nil }
            return display[display.utf8.index(display.startIndex, offsetBy: start.utf8.count)...]
        }
        switch self.place {
        case .origin(let url):
            let site = url.display.dropLast(url.path.count)
            return rest(behind: String(site)).flatMap { $0.hasPrefix("/") ? String($0) : nil }
        case .webFolder(let url):
            let site = url.display.dropLast(url.path.count)
            return rest(behind: "\(site)\(url.folder)").map { "/\($0)" }
        case .files(let storage as any MediaStorage, _), .service(let storage as any MediaStorage):
            return rest(behind: storage.displayName(of: .root))
                .flatMap { try? FolderPath("/\($0)") }.map(ServedPath.encoded)
        }
    }

    /// The cache key of the file or folder at a path of the storage; `nil` for local files.
    func key(of path: FolderPath, in library: MediaLibrary) -> ResourceKey? {
        if case .service(let storage) = self.place {
            return library.key(of: path, in: storage, self.account)
        }
        return self.url(of: self.target(of: path)[...]).map { self.key(of: $0, in: library) }
    }

    /// The identifier of the resource at the named URL; `nil` for a source of the configuration.
    func ownIdentifier(in library: MediaLibrary) -> String? {
        guard case .origin(let url) = self.place else { return nil }
        return self.key(of: url, in: library).identifier
    }

    private func key(of url: OriginURL, in library: MediaLibrary) -> ResourceKey {
        library.key(of: url, self.headers, self.account, self.volatileQuery)
    }

    /// The storage path of a cached resource; `nil` if it does not belong to this place.
    func path(of resource: CachedResource, in library: MediaLibrary) -> FolderPath? {
        guard let target = self.target(ofMediaCalled: resource.display),
            let path = self.path(of: target[...]), !path.isFolder,
            self.key(of: path, in: library)?.identifier == resource.identifier
        else { return nil }
        return path
    }
}
