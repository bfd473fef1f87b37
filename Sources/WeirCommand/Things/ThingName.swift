// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirHTTP

/// A THING of the command line, as it was written: what it means, before anything is asked of it.
enum ThingName: Hashable, Sendable {
    /// An `http` or `https` URL, as given.
    case url(String)
    /// A file or folder of this computer.
    case path(String)
    /// Something at a source of the configuration; the path starts with a slash and is otherwise
    /// as given, byte for byte.
    case source(name: String, path: String)
}

extension ThingName {
    /// Reads a thing.
    ///
    /// A URL comes first, then what can only be a path, then `NAME:PATH` of a source that there is,
    /// then whatever exists on the disk, a file with a colon in its name among it.
    ///
    /// - Parameters:
    ///   - text: what the user wrote.
    ///   - names: the sources of the configuration.
    ///   - file: the configuration's file, for errors.
    ///   - home: what `~` stands for, where the shell has left one.
    ///   - exists: whether there is a file or folder of a path.
    /// - Throws: ``CommandError`` with `usage` that says what was probably meant.
    init(
        _ text: String,
        sources names: [String],
        file: String,
        home: String? = nil,
        exists: (String) -> Bool
    ) throws(CommandError) {
        let scheme = Self.scheme(of: text)
        if scheme == "http" || scheme == "https" {
            self = .url(text)
        } else if scheme == "file" {
            self = .path(try Self.path(ofFileURL: text))
        } else if let path = Self.certainPath(text, home: home) {
            self = .path(path)
        } else if let (name, path) = Self.split(text), names.contains(where: { $0 == name }) {
            self = .source(name: name, path: path.utf8.first == 0x2F ? path : "/\(path)")
        } else if !text.isEmpty, exists(text) {
            self = .path(text)
        } else {
            throw Self.failure(text, scheme: scheme, names: names, file: file)
        }
    }

    /// What stands before `://`, or `file` before its colon, in lower case.
    private static func scheme(of text: String) -> String? {
        if text.prefix(5).lowercased() == "file:" { return "file" }
        guard let range = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<range.lowerBound]
        return ConfiguredSource.isName(scheme) ? scheme.lowercased() : nil
    }

    /// What looks like a path whether or not there is one.
    private static func certainPath(_ text: String, home: String?) -> String? {
        if text == "~" || text.hasPrefix("~/") {
            return home.map { "\($0)\(text.dropFirst())" } ?? text
        }
        let isPath =
            text == "." || text == ".." || text.utf8.first == UInt8(ascii: "/")
            || ["./", "../", "~"].contains { text.hasPrefix($0) }
        return isPath ? text : nil
    }

    /// `NAME:PATH`; `nil` if what stands before the first colon can be no name.
    private static func split(_ text: String) -> (name: String, path: String)? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = text[..<colon]
        guard ConfiguredSource.isName(name) else { return nil }
        // By bytes: a path may begin with what would merge with the colon.
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
        // The bytes need not be text; every sign of percent must begin a triplet.
        let bytes = PercentCoding.decodedBytes(rest)
        let count = rest.utf8.count { $0 == UInt8(ascii: "%") }
        guard rest.hasPrefix("/"), !bytes.contains(0), bytes.count + 2 * count == rest.utf8.count
        else {
            throw CommandError(
                .usage,
                "A file: URL names a file of this computer; write it as file:///PATH, or give the path."
            )
        }
        return LocalPath(bytes: bytes).text
    }
}
