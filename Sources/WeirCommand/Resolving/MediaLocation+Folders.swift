// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirHTTP
import WeirSource

/// The storage of a location, and whether the location is a folder or a medium.
extension MediaLocation {
    /// The storage that can tell folders from files; `nil` for a web server, whose paths do not
    /// show the difference.
    var knownStorage: (any MediaStorage)? {
        switch self.place {
        case .origin, .webFolder: nil
        case .files(let storage, _): storage
        case .service(let storage): storage
        }
    }

    /// Whether the location is on this machine.
    var isLocal: Bool { if case .files = self.place { true } else { false } }

    /// The storage for look-ups and listings.
    ///
    /// A web server's folders are listed by WebDAV, or from its index pages. If the origin is away
    /// or Weir is offline, the cache replaces the listings, as `view` says.
    func storage(in library: MediaLibrary, view: HeldStorage.View) -> HeldStorage {
        HeldStorage(self.origin(in: library), of: self, in: library, view: view)
    }

    /// The storage of the origin, without stored listings.
    func origin(in library: MediaLibrary) -> any MediaStorage {
        switch self.place {
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
        // The user has configured a named source, so ignore its `no-store`, which is meant for
        // browsers.
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

    /// Decides between two readings of the path: as a listed name or, if no entry has that name, as
    /// a part of a URL.
    ///
    /// Sends a request only if the two readings differ: for a path with a percent escape, such as
    /// `%20`, or with a `?`.
    func settled(in library: MediaLibrary) async throws -> MediaLocation {
        guard let urlTarget else { return self }
        var other = self
        other.urlTarget = nil
        other.target = urlTarget
        other.path = ServedPath.decoded(urlTarget[...]) ?? self.path
        let storage = self.storage(in: library, view: .listed)
        do {
            _ = try await storage.entry(at: self.path)
        } catch let error as SourceError where error.code == .notFound {
            return other
        } catch let error as SourceError where OriginState.isOutage(error) {
            let media = self.media(for: urlTarget[...], in: library)
            if media?.availability.held.isEmpty == false { return other }
            let exists = (try? await storage.entry(at: other.path)) != nil
            return exists ? other : self
        } catch is SourceError {
            // Other errors do not decide; the next request reports them.
        }
        return self
    }

    /// The medium.
    ///
    /// - Throws: ``CommandError`` with `usage` for a folder, and for a path that some servers read
    ///   as a path outside its folder.
    func media(in library: MediaLibrary) throws -> Media {
        if let media = self.media(for: self.target[...], in: library) { return media }
        guard ServedPath.climbs(ServedPath.path(of: self.target[...])) else { throw self.isFolder }
        throw CommandError.usage(
            "Some servers read \(self.display) as a path outside its folder, so Weir does not request it; name a file"
                + " of the folder as weir ls lists it."
        )
    }

    /// Whether the path is a folder, according to the storage, before a player starts.
    ///
    /// A medium with held bytes is not a folder, whatever the storage says. If the storage cannot
    /// answer, the result is `false`, and the player's request gets the error.
    ///
    /// - Throws: `SourceError` if the file does not exist or must not be read.
    private func isFolder(_ media: Media, in library: MediaLibrary) async throws -> Bool {
        guard media.availability.held.isEmpty else { return false }
        do {
            return try await self.storage(in: library, view: .held).entry(at: self.path).kind
                == .folder
        } catch let error as SourceError {
            let codes: [SourceError.Code] = [.notFound, .forbidden, .unauthorized, .throttled]
            if codes.contains(error.code) { throw error }
            return false
        }
    }

    /// The folder at this location, with a slash at its end; `nil` for a medium.
    ///
    /// Sends a request to the storage or the web server.
    ///
    /// - Throws: as ``media(in:)`` does; `SourceError` if the path does not exist or must not be
    ///   read.
    func folder(in library: MediaLibrary) async throws -> MediaLocation? {
        if self.knownStorage != nil {
            guard !self.path.isFolder else { return self }
            let media = try self.media(in: library)
            guard try await self.isFolder(media, in: library) else { return nil }
            var folder = self
            folder.path = self.path.asFolder
            folder.target = self.target(of: folder.path)
            return folder
        }
        let media = try self.media(in: library)
        let path = String(ServedPath.path(of: self.target[...]))
        // A name with an extension is that of a file.
        let mayBeFolder =
            PathKind(path: path) == .folder
            || !(path.split(separator: "/").last ?? "").contains(".")
        guard mayBeFolder, media.availability.held.isEmpty else { return nil }
        do {
            _ = try await media.describe()
            return nil
        } catch let error as SourceError
            where [.notMedia, .forbidden].contains(error.code) || OriginState.isOutage(error)
        {
            self.state.note(error)
            let storage = self.storage(in: library, view: .held)
            do {
                for try await page in storage.entries(in: self.path.asFolder) where !page.isEmpty {
                    var folder = self
                    folder.path = self.path.asFolder
                    folder.target = path.hasSuffix("/") ? path : "\(path)/"
                    return folder
                }
            } catch let listing as SourceError
                where error.code == .notMedia && !OriginState.isOutage(listing)
            {
                // The page is not a listing, so report the first error, which says that it is a
                // page.
            }
            throw error
        }
    }

    /// The error to show after a failed read; for a folder, an error that says that it is a folder.
    func explained(_ error: any Error) async -> any Error {
        let codes: [SourceError.Code] = [
            .notMedia, .forbidden, .notFound, .badAnswer, .rangeNotSatisfiable,
        ]
        guard let failure = error as? SourceError, codes.contains(failure.code),
            let storage = self.knownStorage,
            let entry = try? await storage.entry(at: self.path), entry.kind == .folder
        else { return error }
        return self.isFolder
    }

    private var isFolder: CommandError {
        CommandError.usage(
            "\(self.display) is a folder, which cannot be played or copied as a file; weir ls \(self.display) lists"
                + " it, and weir get -r copies it."
        )
    }

    /// The sentence about encrypted files of the folder that are skipped without a key; `nil` for
    /// no files.
    func encryptedFiles(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let files = count == 1 ? "A file" : "\(count) files"
        return
            "\(files) of \(self.display) \(count == 1 ? "is" : "are") encrypted according to the name, and left out;"
            + " --decrypt age --key-file FILE, or another format, plays encrypted files."
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
