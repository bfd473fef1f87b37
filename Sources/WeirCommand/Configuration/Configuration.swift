// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirConsole
import WeirLoader
import WeirProxy
import WeirSource

/// The user's configuration: settings for every command, and sources under names.
struct Configuration: Sendable {
    /// The file that it was read from, or would be read from if there were one.
    let file: String
    /// Values that stand for options of the command line.
    var settings = ConfigurationSettings()
    /// The sources, in the order of their names.
    var sources: [ConfiguredSource] = []
    /// What a fleet shares behind its caches.
    var tier: ConfiguredTier?
    /// What holds the players of weir serve back.
    var limits = ConfiguredLimits()

    /// The source of a name.
    ///
    /// - Throws: ``CommandError`` with `usage` if there is none, which names the nearest.
    func source(named name: String) throws(CommandError) -> ConfiguredSource {
        if let source = self.sources.first(where: { $0.name == name }) { return source }
        throw Self.noSource(called: name, among: self.sources.map(\.name), file: self.file)
    }

    /// How many requests a second the servers of sources are sent; of two sources at one server the fewer.
    var requestsPerSecond: [String: Int] {
        let rates = self.sources.compactMap { source in
            source.kind.host.flatMap { host in source.requestsPerSecond.map { (host, $0) } }
        }
        return Dictionary(rates, uniquingKeysWith: min)
    }

    /// The error for a name that no source has.
    static func noSource(called name: String, among names: [String], file: String) -> CommandError {
        let nearest = names.nearest(to: name).map { "; did you mean '\($0)'?" } ?? "."
        return CommandError.usage(
            "There is no source called '\(name)'\(nearest) weir's sources are in \(file)."
        )
    }
}

/// Values of the configuration that stand for options of the command line, under the same names.
///
/// The command line wins, then the environment, then these.
struct ConfigurationSettings: Hashable, Sendable {
    var listen: ListenAddress?
    /// The cache folder, absolute.
    var cache: String?
    var cacheLimit: ByteSize?
    /// 1 or more.
    var cacheCount: Int?
    var cacheAge: TimeSpan?
    var cacheReserve: ByteSize?
    var keep: KeepPolicy?
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
    var allowedSites: [String] = []
    /// Whether `weir serve` has a page.
    var page: Bool?
    var log: LineLogHandler.Form?
    /// The file with the keys that sign URLs, absolute.
    var signingKeys: String?
    /// How long what is being answered may take to its end.
    var drain: TimeSpan?
    /// The addresses of load balancers, which say whose connection they pass on.
    var balancers: [AddressRange] = []
}

/// What holds the players of `weir serve` back; `nil` for nothing.
struct ConfiguredLimits: Hashable, Sendable {
    /// How many connections have a place at a time; 1 or more.
    var connections: Int?
    /// The same, of one address.
    var clientConnections: Int?
    /// Bytes a second to all together; 1 or more.
    var rate: ByteSize?
    /// The same, to one address.
    var clientRate: ByteSize?
}

extension Configuration {
    /// No configuration is longer.
    private static let largestSize = TOMLReader.longest

    /// Reads the user's configuration, which is empty if there is no file and none was named.
    ///
    /// `--config` names the file; without it `WEIR_CONFIG` does, and without that it is `config.toml` in the configuration
    /// folder.
    ///
    /// - Throws: ``CommandError`` with `notFound` where it cannot be read, with `usage` where it makes no sense.
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

    /// Reads the bytes of a configuration; any bytes give a configuration or an error.
    ///
    /// `file` is its path, for errors and relative paths. A configuration that only its owner can read is private, and may
    /// hold secrets.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column, and what was expected.
    static func parse(
        _ bytes: [UInt8],
        file: String,
        isPrivate: Bool,
        _ environment: ProgramEnvironment
    ) throws(CommandError) -> Configuration {
        guard bytes.count <= self.largestSize else {
            throw CommandError.usage(
                "The configuration \(file) is longer than any; name another file with --config."
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.usage(
                "\(file):\(self.firstDefect(in: bytes)): this is no text in UTF-8; save the file as one."
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

    /// Where the first byte stands that no text in UTF-8 has there.
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

    /// The error for the system call that just failed.
    private static func unreadable(_ file: String) -> CommandError {
        let reason = String(cString: strerror(errno))
        return CommandError.notFound(
            "The configuration \(file) cannot be read (\(reason)); check its name and its permissions."
        )
    }
}
