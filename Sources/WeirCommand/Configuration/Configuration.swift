// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirConsole
import WeirHTTP
import WeirLoader
import WeirProxy
import WeirSource

/// The user's configuration: settings for all commands, and named sources.
struct Configuration: Sendable {
    /// The path of the file, which need not exist.
    let file: String
    /// Defaults for options of the command line.
    var settings = ConfigurationSettings()
    /// The sources, in the order of their names.
    var sources: [ConfiguredSource] = []
    /// The object store behind the caches, which a fleet of machines shares.
    var tier: ConfiguredTier?
    /// The limits for players of weir serve.
    var limits = ConfiguredLimits()

    /// The source with a name.
    ///
    /// - Throws: ``CommandError`` with `usage` and the nearest name if no source has this name.
    func source(named name: String) throws(CommandError) -> ConfiguredSource {
        if let source = self.sources.first(where: { $0.name == name }) { return source }
        throw Self.noSource(called: name, among: self.sources.map(\.name), file: self.file)
    }

    /// The limit of each server, in requests a second; if two sources share a server, their lower
    /// limit.
    var requestsPerSecond: [String: Int] {
        let rates = self.sources.compactMap { source in
            source.kind.host.flatMap { host in source.requestsPerSecond.map { (host, $0) } }
        }
        return Dictionary(rates, uniquingKeysWith: min)
    }

    /// The credential of a web source for an address below its URL; `nil` for another address.
    ///
    /// A playlist may name addresses of the user's own sources, which need their credentials.
    func playlistCredentials(
        _ environment: ProgramEnvironment
    ) -> @Sendable (OriginURL) -> PlaylistCredentials? {
        let known = self.sources.compactMap { source -> (OriginURL, PlaylistCredentials)? in
            guard case .http(.url(let url), let given, let variables) = source.kind,
                let headers = try? given.adding(variables, environment)
            else { return nil }
            return (url, PlaylistCredentials(headers: headers, account: source.account))
        }
        return { url in
            known.first { source, _ in
                source.isSameOrigin(as: url) && url.path.hasPrefix(source.folder)
                    && !ServedPath.climbs(url.path[...])
            }?.1
        }
    }

    /// The error for an unknown source name.
    static func noSource(called name: String, among names: [String], file: String) -> CommandError {
        let nearest = names.nearest(to: name).map { "; did you mean '\($0)'?" } ?? "."
        return CommandError.usage(
            "There is no source called '\(name)'\(nearest) weir's sources are in \(file)."
        )
    }
}

/// Defaults from the configuration for options of the command line, under the same names.
///
/// The command line overrides the environment, and the environment overrides the configuration.
struct ConfigurationSettings: Hashable, Sendable {
    var listen: ListenAddress?
    /// The cache folder, absolute.
    var cache: String?
    var cacheLimit: ByteSize?
    /// 1 or more.
    var cacheCount: Int?
    var cacheAge: TimeSpan?
    var cacheReserve: ByteSize?
    var prefetch: PrefetchPolicy?
    var revalidate: Revalidation?
    var ignoreCacheControl: Bool?
    var whenGone: WhenGone?
    var retryFor: TimeSpan?
    var validator: ValidatorPolicy?
    var readAhead: ByteSize?
    /// 1 byte a second or more.
    var limitRate: ByteSize?
    /// A file of certificate authorities, absolute.
    var certificateFile: String?
    var offline: Bool?
    var immutable: Bool?
    var allowedHosts: [String] = []
    /// Hosts on the user's network or this machine that HLS playlists may name.
    var playlistHosts: [String] = []
    var allowedSites: [String] = []
    /// Whether `weir serve` has a page.
    var page: Bool?
    var log: LineLogHandler.Form?
    /// The file with the keys that sign URLs, absolute.
    var signingKeys: String?
    /// How long active responses may take to finish.
    var drain: TimeSpan?
    /// The addresses of load balancers, which report the client of each connection.
    var balancers: [AddressRange] = []
}

/// The limits for players of `weir serve`; `nil` for no limit.
struct ConfiguredLimits: Hashable, Sendable {
    /// The largest number of connections at a time; 1 or more.
    var connections: Int?
    /// The largest number of connections from one address.
    var clientConnections: Int?
    /// Bytes a second to all players together; 1 or more.
    var rate: ByteSize?
    /// Bytes a second to one address; 1 or more.
    var clientRate: ByteSize?
}

extension Configuration {
    /// The largest size of a configuration.
    private static let largestSize = TOMLReader.longest

    /// Reads the user's configuration; it is empty if no file is named and the default file does
    /// not exist.
    ///
    /// `--config` names the file, or else `WEIR_CONFIG`. The default file is `config.toml` in the
    /// configuration folder.
    ///
    /// - Throws: ``CommandError`` with `notFound` if the file cannot be read, with `usage` if it is
    ///   invalid.
    static func load(
        _ named: String? = nil,
        _ environment: ProgramEnvironment
    ) throws(CommandError) -> Configuration {
        let named = named ?? environment["WEIR_CONFIG"]
        let file = named ?? "\(environment.configurationDirectory)/config.toml"
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if named == nil, errno == ENOENT || errno == ENOTDIR {
                return Configuration(file: file)
            }
            throw self.unreadable(file)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw self.unreadable(file) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandError.usage(
                "The configuration \(file) is a folder; name a file with --config."
            )
        }
        let data: Data
        do {
            data = try handle.read(upToCount: self.largestSize + 1) ?? Data()
        } catch {
            throw self.unreadable(file)
        }
        return try self.parse(
            Array(data),
            file: file,
            isPrivate: status.st_mode & 0o077 == 0,
            environment
        )
    }

    /// Parses the bytes of a configuration; any bytes give a configuration or an error.
    ///
    /// `file` is its path, for errors and relative paths. A file that only its owner can read is
    /// private, and may contain secrets.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column and expected value.
    static func parse(
        _ bytes: [UInt8],
        file: String,
        isPrivate: Bool,
        _ environment: ProgramEnvironment
    ) throws(CommandError) -> Configuration {
        guard bytes.count <= self.largestSize else {
            throw CommandError.usage(
                "The configuration \(file) is longer than 1 MiB; name another file with --config."
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.usage(
                "\(file):\(self.firstDefect(in: bytes)): this is not UTF-8 text; save the file as UTF-8."
            )
        }
        let top = try ConfigurationTable(
            ConfigurationText(file: file, text: text, isPrivate: isPrivate),
            environment
        )
        return Configuration(
            file: file,
            settings: try top.settings(),
            sources: try top.sources(),
            tier: try top.tier(),
            limits: try top.limits()
        )
    }

    /// The position of the first byte that is not valid UTF-8.
    private static func firstDefect(in bytes: [UInt8]) -> TextPosition {
        var position = TextPosition.start
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            position.column += 1
            if scalar == "\n" { position = TextPosition(line: position.line + 1, column: 1) }
        }
        return position
    }

    /// The error for the system call that has just failed.
    private static func unreadable(_ file: String) -> CommandError {
        let reason = String(cString: strerror(errno))
        return CommandError.notFound(
            "The configuration \(file) cannot be read (\(reason)); check its name and its permissions."
        )
    }
}
