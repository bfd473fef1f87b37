// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirLive
import WeirSource

/// A resolved name of the command line, which can be opened, listed and served.
enum MediaReference: Sendable {
    /// A medium or a folder of a source.
    case media(MediaLocation)
    case station(NamedStation)

    /// The first component of the path for players.
    var name: String {
        switch self {
        case .media(let location): location.source.name
        case .station(let station): station.name
        }
    }

    /// Its location, for people.
    var display: String {
        switch self {
        case .media(let location): location.source.display
        case .station(let station): station.display
        }
    }

    /// The path of the named medium or station for players, after the name.
    var target: String {
        switch self {
        case .media(let location): location.target
        case .station: NamedStation.target
        }
    }

    var station: NamedStation? {
        if case .station(let station) = self { station } else { nil }
    }

    /// The reference with its location settled, as by ``MediaLocation/settled(in:)``.
    func settled(in library: MediaLibrary) async throws -> MediaReference {
        guard case .media(let location) = self else { return self }
        return .media(try await location.settled(in: library))
    }

    /// A reference for which players may open only the named medium; a station stays as it is.
    var namedOnly: MediaReference {
        guard case .media(var location) = self else { return self }
        location.servesOnlyNamed = true
        return .media(location)
    }

    /// The source for a path and a query after the name; `nil` if the reference does not serve them.
    func served(_ target: Substring, in library: MediaLibrary) -> (any ByteSource)? {
        switch self {
        case .media(let location):
            let isServed =
                !location.servesOnlyNamed || ServedPath.opens(target, named: location.target)
            return isServed ? location.source.media(for: target, in: library) : nil
        case .station(let station):
            return target.prefix { $0 != "?" } == NamedStation.target ? station.stream : nil
        }
    }
}

extension [MediaReference] {
    /// The references with their locations settled, as by ``MediaLocation/settled(in:)``.
    func settled(in library: MediaLibrary) async throws -> [MediaReference] {
        var settled: [MediaReference] = []
        for reference in self { settled.append(try await reference.settled(in: library)) }
        return settled
    }
}

/// A radio station and its name; all players of its stream share one connection.
struct NamedStation: Sendable {
    /// The path of its stream, after the name.
    static let target = "/stream"

    /// The first component of the path for players.
    let name: String
    /// Its location, for people.
    let display: String
    /// The station, which the owner must close; it sends no request before the first listener.
    let station: Station
    let stream: StationSource
}

/// A path of a source; it may be a medium, a playlist or a folder.
struct MediaLocation: Sendable {
    let source: MediaSource
    /// The path and query for players, after the source's name.
    var target: String
    /// The path in the storage.
    var path: FolderPath
    /// The path on this machine as the user wrote it; `nil` for other sources.
    var written: String?
    /// The path and query if the text is part of a URL; `nil` if they equal ``target``.
    var urlTarget: String?
    /// Whether players may open only the named medium.
    ///
    /// If a folder is named, they may open the files in it; if a playlist is named, the files beside and below it.
    var servesOnlyNamed = false

    /// The identifiers that the cache may have for this location, read as a listed path and as a part of a URL.
    func identifiers(in library: MediaLibrary) -> [String] {
        [self.target, self.urlTarget].compactMap { target in
            target.flatMap { self.source.media(for: $0[...], in: library)?.cacheIdentifier }
        }
    }

    /// Decides between two readings of the path: as a listed name or, if no entry has that name, as a part of a URL.
    ///
    /// Sends a request only if the two differ: for a path with a percent escape, such as `%20`, or with a `?`.
    func settled(in library: MediaLibrary) async throws -> MediaLocation {
        guard let urlTarget else { return self }
        var other = self
        other.urlTarget = nil
        other.target = urlTarget
        other.path = ServedPath.decoded(urlTarget[...]) ?? self.path
        let storage = self.source.storage(in: library, view: .listed)
        do {
            _ = try await storage.entry(at: self.path)
        } catch let error as SourceError where error.code == .notFound {
            return other
        } catch let error as SourceError where OriginState.isOutage(error) {
            let media = self.source.media(for: urlTarget[...], in: library)
            if media?.availability.held.isEmpty == false { return other }
            let isKept = (try? await storage.entry(at: other.path)) != nil
            return isKept ? other : self
        } catch is SourceError {
            // Other errors do not decide; the next request reports them.
        }
        return self
    }

    /// The name in messages.
    var display: String {
        if let written { return written }
        if case .origin = self.source.location { return self.source.display }
        return "\(self.source.name):\(self.path)"
    }

    /// The medium.
    ///
    /// - Throws: ``CommandError`` with `usage` for a folder, and for a path that some servers read as a way out of its
    ///   folder.
    func media(in library: MediaLibrary) throws -> Media {
        if let media = self.source.media(for: self.target[...], in: library) { return media }
        guard ServedPath.climbs(ServedPath.path(of: self.target[...])) else { throw self.isFolder }
        throw CommandError.usage(
            "Some servers read \(self.display) as a path outside its folder, so Weir does not request it; name a file"
                + " of the folder as weir ls lists it."
        )
    }

    /// Whether the path is a folder, according to the storage, before a player starts.
    ///
    /// A medium with held bytes is not a folder, whatever the storage says. If the storage cannot answer, the
    /// result is `false`, and the player finds out.
    ///
    /// - Throws: `SourceError` if the file does not exist or must not be read.
    private func isFolder(_ media: Media, in library: MediaLibrary) async throws -> Bool {
        guard media.availability.held.isEmpty else { return false }
        do {
            return try await self.source.storage(in: library, view: .held).entry(at: self.path).kind
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
    /// - Throws: as ``media(in:)`` does; `SourceError` if the path does not exist or must not be read.
    func folder(in library: MediaLibrary) async throws -> MediaLocation? {
        if self.source.knownStorage != nil {
            guard !self.path.isFolder else { return self }
            let media = try self.media(in: library)
            guard try await self.isFolder(media, in: library) else { return nil }
            var folder = self
            folder.path = self.path.asFolder
            folder.target = self.source.target(of: folder.path)
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
            self.source.state.note(error)
            let storage = self.source.storage(in: library, view: .held)
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
                // The page is not a listing, so report the first error, which says that it is a page.
            }
            throw error
        }
    }

    /// The error to show after a failed read; for a folder, an error that says so.
    func explained(_ error: any Error) async -> any Error {
        let codes: [SourceError.Code] = [
            .notMedia, .forbidden, .notFound, .badAnswer, .rangeNotSatisfiable,
        ]
        guard let failure = error as? SourceError, codes.contains(failure.code),
            let storage = self.source.knownStorage,
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
}

extension MediaLocation {
    /// The sentence about encrypted files of the folder that are skipped without a key; `nil` for no files.
    func encryptedFiles(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let files = count == 1 ? "A file" : "\(count) files"
        return
            "\(files) of \(self.display) \(count == 1 ? "is" : "are") encrypted according to the name, and left out;"
            + " --decrypt age --key-file FILE, or another format, plays encrypted files."
    }
}
