// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirHTTP
import WeirSource

/// The options of every command that sends requests to an origin.
struct SourceOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        parsing: .unconditionalSingleValue,
        help: .value(
            "Name: value",
            "A header for the origin, 'Name: value', or @FILE with one per line."
        )
    )
    var headers: [String] = []

    @Option(
        name: .customLong("header-env"),
        help: .value("Name=VARIABLE", "A header whose value is read from an environment variable.")
    )
    var headersFromEnvironment: [String] = []

    @Option(
        help: .value(
            "name",
            "A name for credentials that change, so that a new token can use the bytes that an old token fetched."
        )
    )
    var account: String?

    @Option(
        name: .customLong("ca-file"),
        help: .value("file", "More certificate authorities to trust, as PEM."),
        completion: .file()
    )
    var certificateFile: String?

    /// The headers, from the command line, files and the environment.
    func headerList(_ environment: ProgramEnvironment) throws -> HTTPHeaderList {
        var list = HTTPHeaderList()
        for text in self.headers {
            guard text.hasPrefix("@") else {
                list.append(try HTTPHeader(parsing: text).read(in: "--header"))
                continue
            }
            let file = String(text.dropFirst())
            for line in try SourceOptions.lines(ofFile: file) {
                list.append(try HTTPHeader(parsing: line).read(in: file))
            }
        }
        for text in self.headersFromEnvironment {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError(
                    "--header-env needs Name=VARIABLE; an argument has no '=', or no name or variable."
                )
            }
            guard let value = environment[String(parts[1])] else {
                throw ValidationError(
                    "--header-env names the variable \(parts[1]), which is not set; set it or name another."
                )
            }
            let header = try HTTPHeader(parsing: "\(parts[0]): \(value)")
            list.append(header.read(in: String(parts[1])))
        }
        return list
    }

    /// The file of additional certificate authorities, if the user names one.
    ///
    /// - Throws: ``CommandError`` with `notFound` if the file cannot be read.
    func certificatePath(
        _ environment: ProgramEnvironment,
        _ settings: ConfigurationSettings
    ) throws(CommandError) -> String? {
        try Self.certificatePath(
            self.certificateFile ?? environment["WEIR_CA_FILE"] ?? settings.certificateFile
        )
    }

    /// Checks that a file of certificate authorities can be read.
    ///
    /// - Throws: ``CommandError`` with `notFound` if it cannot.
    static func certificatePath(_ path: String?) throws(CommandError) -> String? {
        guard let path, access(path, R_OK) != 0 else { return path }
        throw CommandError.notFound(
            "The CA file \(path) cannot be read (\(String(cString: strerror(errno)))); check its name and its permissions."
        )
    }

    /// The names of the variables that hold values of headers.
    var variables: [String] {
        self.headersFromEnvironment.compactMap { text in
            text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) }
        }
    }

    /// The account, if the user names one.
    func accountName(_ environment: ProgramEnvironment) -> String? {
        self.account ?? environment["WEIR_ACCOUNT"]
    }

    private static func lines(ofFile path: String) throws -> [String] {
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            return text.split(whereSeparator: \.isNewline).map(String.init).filter {
                !$0.allSatisfy(\.isWhitespace)
            }
        } catch {
            throw CommandError.notFound(
                "The header file \(path) cannot be read; check its name and its permissions."
            )
        }
    }
}

/// The options for fetching, caching and revalidation.
struct LoadOptions: ParsableArguments {
    @Option(
        name: .customLong("volatile-query"),
        help: .value(
            "name,…",
            "Query parameters that may change while the resource stays the same."
        )
    )
    var volatileQuery: [String] = []

    @Flag(help: "The resources never change: keep them even if the origin sends no version.")
    var immutable = false

    @Flag(help: "Play from the cache only; send no request to an origin.")
    var offline = false

    @Option(
        help: .value(
            "what",
            "Bytes to prefetch: played (none), whole, or first:SIZE. (default: played)"
        ),
        completion: .list(["played", "whole", "first:"]),
        transform: PrefetchPolicy.read
    )
    var keep: PrefetchPolicy?

    @Option(
        name: .customLong("revalidate"),
        help: .value(
            "when",
            "When to ask the origin whether the held version is current: always, after a time such as 60s, or never."
                + " (default: 60s)"
        ),
        completion: .list(["always", "never", "60s"]),
        transform: Revalidation.read
    )
    var revalidate: Revalidation?

    @Option(
        help: ArgumentHelp(
            "How to tell two versions of a file apart: strong (an ETag, else date and length) or modified (only date"
                + " and length, for a farm whose servers send different ETags). (default: strong)",
            valueName: "what"
        ),
        completion: .list(["strong", "modified"]),
        transform: ValidatorPolicy.read
    )
    var validator: ValidatorPolicy?

    @Flag(
        name: .customLong("ignore-cache-control"),
        help: "Keep and use resources that the origin forbids to store, as --revalidate says."
    )
    var ignoresCacheControl = false

    @Option(
        name: .customLong("when-gone"),
        help: ArgumentHelp(
            "Whether to serve or refuse held resources when the origin answers 401, 403, 404 or 410. (default: serve,"
                + " but refuse on 401 and 403 of a source with a credential)",
            valueName: "what"
        ),
        completion: .list(["serve", "refuse"]),
        transform: WhenGone.read
    )
    var whenGone: WhenGone?

    @Option(
        name: .customLong("retry-for"),
        help: .value(
            "time",
            "How long a response waits for an origin that fails or cannot be reached, such as 5m; 0s means no wait."
                + " (default: 2 to 5 more tries)"
        ),
        transform: TimeSpan.read
    )
    var retryFor: TimeSpan?

    @Option(
        name: .customLong("hls-host"),
        help: .value(
            "name",
            "A host in HLS playlists that may be on your network or this machine; else they lead to their origin and to"
                + " the internet."
        )
    )
    var playlistHosts: [String] = []

    @Option(
        name: .customLong("read-ahead"),
        help: .value("size", "How far to fetch ahead of the player. (default: 1MB)"),
        transform: ByteSize.read
    )
    var readAhead: ByteSize?

    @Option(
        name: .customLong("limit-rate"),
        help: .value("size", "The limit for the download rate, in bytes per second."),
        transform: ByteSize.read
    )
    var limitRate: ByteSize?

    /// The rule that compares two versions, if the command line or the environment sets it.
    func validatorPolicy(_ environment: ProgramEnvironment) throws -> ValidatorPolicy? {
        try self.validator ?? environment.value("WEIR_VALIDATOR")
    }

    /// The volatile query names, from all occurrences of the option.
    var volatileNames: Set<String> {
        Set(self.volatileQuery.flatMap { $0.split(separator: ",") }.map(String.init))
    }

    /// Applies the options to the configuration of a library.
    func apply(
        to options: inout MediaLibrary.Configuration,
        _ environment: ProgramEnvironment,
        _ settings: ConfigurationSettings
    ) throws {
        let keep =
            try self.keep ?? environment.value("WEIR_KEEP") ?? settings.prefetch
        let readAhead =
            try self.readAhead ?? environment.value("WEIR_READ_AHEAD")
            ?? settings.readAhead
        let limitRate =
            try self.limitRate ?? environment.value("WEIR_LIMIT_RATE")
            ?? settings.limitRate
        if let keep { options.load.prefetch = keep }
        if let readAhead { options.load.readAhead = readAhead.bytes }
        if let limitRate {
            guard limitRate.bytes > 0 else {
                throw ValidationError(
                    "--limit-rate 0 would stop all downloads; leave the option out for no limit."
                )
            }
            options.bytesPerSecond = limitRate.bytes
        }
        let revalidate =
            try self.revalidate ?? environment.value("WEIR_REVALIDATE")
            ?? settings.revalidate
        let ignoresCacheControl = self.ignoresCacheControl || settings.ignoreCacheControl == true
        if let revalidate { options.load.revalidation = revalidate }
        options.load.heedsFreshness = revalidate == nil && !ignoresCacheControl
        options.load.storesForbidden = ignoresCacheControl
        options.load.whenGone =
            try self.whenGone ?? environment.value("WEIR_WHEN_GONE")
            ?? settings.whenGone
        let retryFor =
            try self.retryFor ?? environment.value("WEIR_RETRY_FOR") ?? settings.retryFor
        if let retryFor { options.maximumRetryTime = retryFor.duration }
        if let validator = try self.validatorPolicy(environment) ?? settings.validator {
            options.validator = validator
        }
        options.load.isImmutable = self.immutable || settings.immutable == true
        options.isOffline = self.offline || settings.offline == true
        options.volatileQuery = self.volatileNames
        options.playlistHosts = Set(self.playlistHosts).union(settings.playlistHosts)
    }
}
