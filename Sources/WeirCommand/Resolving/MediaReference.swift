// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirLive
import WeirSource

/// The meaning of a name on the command line, looked up: it can be opened, listed and served.
enum MediaReference: Sendable {
    /// A medium or a folder of a source.
    case media(MediaLocation)
    case station(NamedStation)

    /// The first component of the path, as players see it.
    var name: String {
        switch self {
        case .media(let location): location.source.name
        case .station(let station): station.name
        }
    }

    /// Where it is, for people.
    var display: String {
        switch self {
        case .media(let location): location.source.display
        case .station(let station): station.display
        }
    }

    /// The path of the named medium or station, as players see it behind the name.
    var target: String {
        switch self {
        case .media(let location): location.target
        case .station: NamedStation.target
        }
    }

    var station: NamedStation? {
        if case .station(let station) = self { station } else { nil }
    }

    /// The same, as ``MediaLocation/settled(in:)`` says.
    func settled(in library: MediaLibrary) async throws -> MediaReference {
        guard case .media(let location) = self else { return self }
        return .media(try await location.settled(in: library))
    }

    /// The same, of which players may open the named medium and no more; a station is that already.
    var namedOnly: MediaReference {
        guard case .media(var location) = self else { return self }
        location.servesOnlyNamed = true
        return .media(location)
    }

    /// The source behind a path and a query, as players see them behind the name; `nil` if there is none.
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
    /// The same, as ``MediaLocation/settled(in:)`` says.
    func settled(in library: MediaLibrary) async throws -> [MediaReference] {
        var settled: [MediaReference] = []
        for reference in self { settled.append(try await reference.settled(in: library)) }
        return settled
    }
}

/// A radio station and its name; however many players read its stream, it has one connection.
struct NamedStation: Sendable {
    /// The path of its sound, behind the name.
    static let target = "/stream"

    /// The first component of the path, as players see it.
    let name: String
    /// Where it is, for people.
    let display: String
    /// To be closed; nothing is asked before something listens.
    let station: Station
    let stream: StationSource
}

/// A path of a source; it may be a medium, a playlist or a folder.
struct MediaLocation: Sendable {
    let source: MediaSource
    /// Path and query, as players see them behind the source's name.
    var target: String
    /// The same as a path of the storage.
    var path: FolderPath
    /// The path of this machine, as it was written, where it is one.
    var written: String?
    /// What the text names where it is read as path and query of a URL, if that is another thing than ``target``.
    var urlTarget: String?
    /// Whether players may open the named medium only: of a folder the files in it, of a playlist the files beside and
    /// below it.
    var servesOnlyNamed = false

    /// What the cache may call it: as it is listed, and as a part of a URL.
    func identifiers(in library: MediaLibrary) -> [String] {
        [self.target, self.urlTarget].compactMap { target in
            target.flatMap { self.source.media(for: $0[...], in: library)?.cacheIdentifier }
        }
    }

    /// The location that is meant: the path as it is listed or, where nothing is called so, as a part of a URL.
    ///
    /// Asks the origin only where the two differ: in a path with a percent-encoded sign, such as `%20`, or with a `?`.
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
            // What it is called does not matter to the question that follows.
        }
        return self
    }

    /// How it is called in sentences.
    var display: String {
        if let written { return written }
        if case .origin = self.source.location { return self.source.display }
        return "\(self.source.name):\(self.path)"
    }

    /// The medium.
    ///
    /// - Throws: ``CommandError`` with `usage` for a folder, and for a path that some servers take for a way out of it.
    func media(in library: MediaLibrary) throws -> Media {
        if let media = self.source.media(for: self.target[...], in: library) { return media }
        guard ServedPath.climbs(ServedPath.path(of: self.target[...])) else { throw self.isFolder }
        throw CommandError.usage(
            "\(self.display) leads out of its folder in what some servers read into it, and is not asked for; name a"
                + " file of the folder as weir ls lists it."
        )
    }

    /// Whether the storage says, before a player is started, that there is a folder.
    ///
    /// A medium of which the cache holds bytes is played whatever the storage says. A storage that cannot be asked is left
    /// to the player.
    ///
    /// - Throws: `SourceError` for a file that is not there or must not be read.
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

    /// The folder that it is, where it is one, with a slash at the end of its path; asks the storage, or the web server.
    ///
    /// - Throws: as ``media(in:)`` does; `SourceError` for what is not there or must not be read.
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
        // A name with an end is that of a file.
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
                // Behind a page lies no folder; that it is a page is what helps.
            }
            throw error
        }
    }

    /// The error to show for one that a reading brought: of a folder, that it is one.
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
            "\(self.display) is a folder, which cannot be played or copied as a file; weir ls \(self.display) shows what"
                + " is in it, and weir get -r copies it."
        )
    }
}

extension MediaLocation {
    /// The sentence about files of the folder that are left out, since nothing says how they are decrypted; `nil` for
    /// none.
    func encryptedFiles(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let files = count == 1 ? "A file" : "\(count) files"
        return
            "\(files) of \(self.display) \(count == 1 ? "is" : "are") encrypted by the name, and left out; --decrypt age"
            + " --key-file FILE, or another format, plays what is encrypted."
    }
}
