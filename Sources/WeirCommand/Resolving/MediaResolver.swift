// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirAudio
import WeirClouds
import WeirHTTP
import WeirLive
import WeirSource

/// Resolves names of the command line and the configuration to media and stations.
struct MediaResolver {
    let library: MediaLibrary
    var settings: MediaSettings
    /// The user's stations; `nil` for a command that takes no stations.
    var stations: StationList?

    var configuration: Configuration { self.settings.configuration }
    var environment: ProgramEnvironment { self.settings.environment }

    /// The reference for a text of the command line; `name` is the reference's name if the text
    /// gives no name.
    ///
    /// - Throws: ``CommandError``, `SourceError`.
    func reference(_ text: String, name: String = "origin") throws -> MediaReference {
        switch try self.name(text) {
        case .url(let text): return .media(self.origin(try OriginURL(text), name: name))
        case .path(let path): return .media(try self.file(path, name: name))
        case .source(let name, let path): return .media(try self.location(path, in: name))
        case .station(let name):
            guard let settings = self.stations?[name] else { throw StationSettings.isNoFile(name) }
            return .station(try self.station(settings))
        case .stationAddress(let address):
            let url = try OriginURL(station: address)
            let headers = self.settings.headers
            return .station(try self.station(name, titled: url.display, at: url, headers))
        }
    }

    /// The location for a name, for a command that takes no stations.
    func location(_ text: String) throws -> MediaLocation {
        var resolver = self
        resolver.stations = nil
        switch try resolver.reference(text) {
        case .media(let location): return location
        case .station(let station): throw StationSettings.isNoFile(station.name)
        }
    }

    /// The meaning of a text, decided by its spelling.
    ///
    /// - Throws: ``CommandError`` if the text has no meaning. If it names a station, and the
    ///   command takes no stations, the error says this.
    func name(_ text: String) throws(CommandError) -> MediaName {
        let context = MediaName.Context(
            sources: self.configuration.sources.map(\.name),
            stations: self.stations?.stations.map(\.name),
            file: self.configuration.file,
            home: self.environment["HOME"],
            exists: { LocalPath.existing($0) != nil }
        )
        do {
            return try MediaName(text, in: context)
        } catch {
            let isStation =
                self.stations == nil && (try? StationList.read(self.environment))?[text] != nil
            throw isStation ? StationSettings.isNoFile(text) : error
        }
    }

    /// The location of a URL.
    func origin(_ url: OriginURL, name: String = "origin") -> MediaLocation {
        // ``OriginURL/url(at:)`` adds the query of this URL.
        MediaLocation(
            name: name,
            placeDisplay: url.display,
            place: .origin(url),
            target: url.path,
            headers: self.settings.headers,
            account: self.settings.account,
            decryption: self.settings.decryption,
            isEncrypted: self.settings.decryption != nil
        )
    }

    private func location(_ text: String, in name: String) throws -> MediaLocation {
        let source = try self.source(self.configuration.source(named: name))
        let path = try FolderPath(text)
        var location = source.at(path)
        if case .webFolder = location.place { location.urlTarget = Self.urlTarget(text, path) }
        return location
    }

    /// The path and query if the text is read as a part of a URL; `nil` if this is the same as the
    /// listed path.
    private static func urlTarget(_ text: String, _ path: FolderPath) -> String? {
        guard let target = try? ServedPath.target(text),
            let decoded = ServedPath.decoded(target[...]),
            decoded != path || target.utf8.contains(UInt8(ascii: "?"))
        else { return nil }
        return target
    }

    private func file(_ text: String, name: String) throws -> MediaLocation {
        guard let file = LocalPath.existing(URL(fileURLWithPath: text).standardizedFileURL.path)
        else {
            throw CommandError.notFound("There is no file or folder \(text); check its name.")
        }
        let only = file.isFolder ? nil : try FolderPath(bytes: file.path.lastName)
        let folder = FileStorage(folder: file.isFolder ? file.path : file.path.folder)
        return MediaLocation(
            name: name,
            placeDisplay: file.path.text,
            place: .files(folder, only: only),
            target: ServedPath.encoded(only ?? .root),
            path: only ?? .root,
            written: text,
            account: self.settings.account,
            decryption: self.settings.decryption,
            isEncrypted: self.settings.decryption != nil
        )
    }
}

extension LocalPath {
    /// Looks for the file or folder that a user's text names.
    ///
    /// The first candidate is the listed form of the name, in which `\x0A` is a line feed, so every
    /// listed name can be opened. The second candidate is the text itself.
    ///
    /// - Returns: the path, and whether it is a folder (or a link to one); `nil` if neither
    ///   candidate exists.
    static func existing(_ text: String) -> (path: LocalPath, isFolder: Bool)? {
        let paths = [LocalPath(bytes: FolderPath.bytes(ofName: text)), LocalPath(text)]
        for path in paths[..<(paths[0] == paths[1] ? 1 : 2)] {
            var status = stat()
            guard path.withCString({ stat($0, &status) }) == 0 else { continue }
            return (path, status.st_mode & S_IFMT == S_IFDIR)
        }
        return nil
    }
}

extension MediaResolver {
    /// All configured sources and all stations that can be served; `note` receives a line for each
    /// of the others.
    ///
    /// - Throws: the first error, if none can be served.
    func all(note: (String) -> Void) throws -> [MediaReference] {
        var references: [MediaReference] = []
        var failure: (any Error)?
        func add(_ name: String, _ resolve: () throws -> MediaReference) {
            do { references.append(try resolve()) } catch {
                failure = failure ?? error
                note("warning: \(name) is not served. \(error.ownerSentence)")
            }
        }
        let configured = self.configuration.sources
        for settings in configured {
            add(settings.name) { .media(try self.source(settings)) }
        }
        for station in self.stations?.stations ?? [] {
            add("the station \(station.name)") {
                // A source may get the name of a station later, by an edit of the configuration.
                guard !configured.contains(where: { $0.name == station.name }) else {
                    throw CommandError.usage(
                        "A source of \(self.configuration.file) has the same name; give one of them another."
                    )
                }
                return .station(try self.station(station))
            }
        }
        if references.isEmpty, let failure { throw failure }
        return references
    }

    /// A station of the user under its name.
    ///
    /// - Throws: ``CommandError`` if a variable is not set; `SourceError`.
    private func station(_ settings: StationSettings) throws -> NamedStation {
        var headers = try settings.headers.adding(
            settings.environmentHeaders,
            self.environment
        )
        for header in self.settings.headers.headers { headers.append(header) }
        return try self.station(
            settings.name,
            titled: settings.name,
            at: settings.address,
            headers,
            settings.charset
        )
    }

    private func station(
        _ name: String,
        titled title: String,
        at url: OriginURL,
        _ headers: HTTPHeaderList,
        _ charset: ICYCharset? = nil
    ) throws(SourceError) -> NamedStation {
        let station = Station(
            name: title,
            transport: try self.library.stationTransport(url, headers: headers),
            options: StationOptions(charset: charset)
        )
        return NamedStation(name, display: url.display, station)
    }
}
