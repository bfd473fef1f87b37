// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirHTTP

/// The meaning of a name on the command line, decided by its spelling, without a request.
///
/// ``MediaResolver`` turns the meaning into a ``MediaReference``. Whether a URL or a path is a
/// playlist depends on its name and on the response, as in ``PathKind`` and ``URLProbe``.
enum MediaName: Hashable, Sendable {
    /// An `http` or `https` URL, as the user wrote it, but with a path.
    case url(String)
    /// A file or folder of this computer.
    case path(String)
    /// A path of a configured source, in its listed form; starts with a slash.
    case source(name: String, path: String)
    /// The name of a radio station of the user.
    case station(String)
    /// The address of a radio station, `icy://…`, as the user wrote it.
    case stationAddress(String)

    /// The facts that decide the meaning of a name.
    struct Context {
        /// The names of the sources of the configuration.
        var sources: [String]
        /// The names of the user's stations; `nil` for a command that takes no stations.
        var stations: [String]?
        /// The configuration's file, for errors.
        var file: String
        /// The user's home, which replaces a `~` that the shell has not expanded.
        var home: String?
        /// Whether a file or folder exists at a path.
        var exists: (String) -> Bool
    }

    /// Reads a name.
    ///
    /// If the command takes stations, a station's name comes first, and a bare name without a file
    /// counts as a mistyped station. Then come URLs, texts that can only be paths, and `NAME:PATH`
    /// of an existing source. Last come existing files, such as one with a colon in its name.
    ///
    /// - Throws: ``CommandError`` that names the probable meaning: with `notFound` if the text may
    ///   name a missing file or station, else with `usage`.
    init(_ text: String, in context: Context) throws(CommandError) {
        if let stations = context.stations {
            if stations.contains(text) {
                self = .station(text)
                return
            }
            if ConfiguredSource.isName(text), !context.exists(text) {
                throw Self.unknownStation(text, stations, context)
            }
            if text.prefix(6).lowercased() == "icy://" {
                self = .stationAddress(text)
                return
            }
        }
        let scheme = Self.scheme(of: text)
        if scheme == "http" || scheme == "https" {
            // Users often write a host without the slash for its root.
            self = .url(OriginURL.withPath(text))
        } else if scheme == "file" {
            self = .path(try Self.path(ofFileURL: text))
        } else if let path = Self.certainPath(text, home: context.home) {
            self = .path(path)
        } else if let (name, path) = Self.split(text),
            context.sources.contains(where: { $0 == name })
        {
            self = .source(name: name, path: path.utf8.first == 0x2F ? path : "/\(path)")
        } else if !text.isEmpty, context.exists(text) {
            self = .path(text)
        } else {
            throw Self.failure(text, scheme: scheme, context)
        }
    }

    /// The text before `://`, or `file` before its colon, in lower case.
    private static func scheme(of text: String) -> String? {
        if text.prefix(5).lowercased() == "file:" { return "file" }
        guard let range = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<range.lowerBound]
        return ConfiguredSource.isName(scheme) ? scheme.lowercased() : nil
    }

    /// The path in a text that can only be a path, whether or not a file exists.
    private static func certainPath(_ text: String, home: String?) -> String? {
        if text == "~" || text.hasPrefix("~/") {
            return home.map { "\($0)\(text.dropFirst())" } ?? text
        }
        let isPath =
            text == "." || text == ".." || text.utf8.first == UInt8(ascii: "/")
            || ["./", "../", "~"].contains { text.hasPrefix($0) }
        return isPath ? text : nil
    }

    /// `NAME:PATH`; `nil` if the text before the first colon cannot be a name.
    private static func split(_ text: String) -> (name: String, path: String)? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = text[..<colon]
        guard ConfiguredSource.isName(name) else { return nil }
        // Cut by bytes, since a path may begin with a combining mark, which would merge with the
        // colon.
        let path = String(decoding: bytes[bytes.index(after: colon)...], as: UTF8.self)
        return (String(name), path)
    }

    /// The path of `file:///…` or `file://localhost/…` (RFC 8089), percent-decoded.
    private static func path(ofFileURL text: String) throws(CommandError) -> String {
        var rest = text.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            if rest.lowercased().hasPrefix("localhost/") {
                rest = rest.dropFirst("localhost".count)
            }
        }
        // The bytes need not be text; every percent sign must begin a triplet.
        let bytes = PercentCoding.decodedBytes(rest)
        let count = rest.utf8.count { $0 == UInt8(ascii: "%") }
        guard rest.hasPrefix("/"), !bytes.contains(0), bytes.count + 2 * count == rest.utf8.count
        else {
            throw CommandError.usage(
                "A file: URL names a file of this computer; write it as file:///PATH, or give the path."
            )
        }
        return LocalPath(bytes: bytes).text
    }
}

/// The errors for a text without a meaning.
///
/// The errors quote at most a name from the text: the text after a colon may be a credential.
extension MediaName {
    private static func failure(_ text: String, scheme: String?, _ context: Context) -> CommandError
    {
        if let scheme {
            return CommandError.usage(
                "Weir does not speak \(scheme); a thing is an http or https URL, a file or folder, or"
                    + " NAME:PATH of a source in \(context.file)."
            )
        }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            ConfiguredSource.isName(text[..<colon])
        {
            return Self.unknownSource(String(text[..<colon]), text, context)
        }
        if context.sources.contains(text) { return Self.bareSource(text) }
        let shown = String(text.prefix { $0 != "?" && $0 != "@" && !$0.isNewline }.prefix(200))
        let nearest = context.sources.nearest(to: text).map { " Did you mean \($0):/?" } ?? ""
        return CommandError.notFound(
            "There is no file or folder '\(shown)'; a thing is an http or https URL, a file or folder,"
                + " or NAME:PATH of a source in \(context.file).\(nearest)"
        )
    }

    private static func unknownSource(_ name: String, _ text: String, _ context: Context)
        -> CommandError
    {
        let rest = text.utf8.dropFirst(name.utf8.count + 1)
        let isPort =
            rest.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        // `host:8080` is probably a URL, unless a source has a similar name.
        if isPort, context.sources.nearest(to: name) == nil {
            return CommandError.usage(
                "There is no source called '\(name)' in \(context.file); if that is a host, begin with http://."
            )
        }
        return Configuration.noSource(called: name, among: context.sources, file: context.file)
    }

    private static func unknownStation(_ name: String, _ stations: [String], _ context: Context)
        -> CommandError
    {
        if context.sources.contains(name) { return Self.bareSource(name) }
        let nearest = (stations + context.sources).nearest(to: name)
            .map { " Did you mean '\($0)'?" }
        return CommandError.notFound(
            "There is no station, file or folder called '\(name)'; weir radio list shows the stations.\(nearest ?? "")"
        )
    }

    private static func bareSource(_ name: String) -> CommandError {
        CommandError.usage(
            "'\(name)' is a source, and its path is missing; write \(name):/ for all of it, or \(name):PATH."
        )
    }
}
