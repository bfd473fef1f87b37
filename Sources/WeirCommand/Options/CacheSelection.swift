// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache
import WeirHTTP

/// The whole cache, or the part that belongs to one account.
struct CacheSelection: ParsableArguments {
    @OptionGroup var folder: CacheFolderOption

    @Option(help: .value("name", "Only resources of this account."))
    var account: String?

    /// The resources of the selected account, or all of them.
    func chosen(_ resources: [CachedResource]) -> [CachedResource] {
        guard let account else { return resources }
        return resources.filter { $0.account == account }
    }

    /// The other names that the cache may have for the path of a source.
    struct Meaning {
        /// The identifiers that the cache may have for the resource at this path.
        var identifiers: [String] = []
        /// The URLs of the path, if it is a folder.
        var folders: [String] = []
        /// The name of the source, if its files are on this machine; the cache never holds these
        /// files.
        var localSource: String?
    }

    /// The resources that any of the names select, each once; without names, all resources.
    ///
    /// - Parameters:
    ///   - names: the names, as a user writes them.
    ///   - takesTexts: whether a name that matches no resource is a text, which selects each
    ///     resource whose URL contains it.
    ///   - library: the library that has the resources.
    /// - Returns: the resources, in the order of the names.
    /// - Throws: ``CommandError`` with `notFound` if a name selects none; the errors of the
    ///   library.
    func resources(
        named names: [String],
        takesTexts: Bool = true,
        in library: MediaLibrary
    ) async throws -> [CachedResource] {
        try self.selected(names, takesTexts: takesTexts, among: try await library.resources()) {
            self.meaning(of: $0, in: library)
        }
    }

    /// The names in the cache for a path of a source in the configuration.
    func meaning(of name: String, in library: MediaLibrary) -> Meaning {
        guard let location = self.location(ofSourcePath: name, in: library) else {
            return Meaning()
        }
        if location.isLocal { return Meaning(localSource: location.name) }
        let storage = location.origin(in: library)
        let folder = location.path.asFolder
        return Meaning(
            identifiers: location.identifiers(in: library),
            folders: [storage.identity(of: folder), storage.displayName(of: folder)]
                .compactMap(\.self)
        )
    }

    /// The location that a path of a source names; `nil` for any other name.
    private func location(ofSourcePath name: String, in library: MediaLibrary) -> MediaLocation? {
        let environment = ProgramEnvironment()
        guard let configuration = try? self.folder.configuration.load(environment),
            Self.isSourcePath(name, configuration)
        else { return nil }
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: configuration,
                account: self.account
            )
        )
        return try? resolver.location(name)
    }

    private static func isSourcePath(_ name: String, _ configuration: Configuration) -> Bool {
        guard let colon = name.firstIndex(of: ":") else { return false }
        return configuration.sources.contains { $0.name == name[..<colon] }
    }

    /// Whether a name is a path of a source in the configuration; ``meaning(of:in:)`` is empty for
    /// any other name.
    func isSourcePath(_ name: String) -> Bool {
        guard let configuration = try? self.folder.configuration.load(ProgramEnvironment()) else {
            return false
        }
        return Self.isSourcePath(name, configuration)
    }

    /// Those of the given resources that any of the names select, each once; without names, all of
    /// them.
    ///
    /// - Throws: ``CommandError`` with `notFound` if a name selects none.
    func selected(
        _ names: [String],
        takesTexts: Bool = true,
        among resources: [CachedResource],
        meaning: (String) -> Meaning = { _ in Meaning() }
    ) throws(CommandError) -> [CachedResource] {
        let all = self.chosen(resources)
        guard !names.isEmpty else { return all }
        var seen: Set<String> = []
        var found: [CachedResource] = []
        for name in names {
            let meant = meaning(name)
            let matches = Self.selected(name, meant, takesTexts: takesTexts, among: all)
            guard !matches.isEmpty else { throw Self.nothing(called: name, meant) }
            found += matches.filter { seen.insert($0.identifier).inserted }
        }
        return found
    }

    /// The resources that a name selects; with a playlist, also the items that it names.
    ///
    /// A name selects the resource with this identifier or URL. If there is none, it selects all
    /// resources in the folder of this name. If there are none either, and `takesTexts` is true,
    /// the name is a text: it selects all resources whose URL in `weir cache list` contains it.
    static func selected(
        _ name: String,
        _ meant: Meaning,
        takesTexts: Bool = true,
        among all: [CachedResource]
    ) -> [CachedResource] {
        guard !name.isEmpty else { return [] }
        let identifier = meant.identifiers.first { known in
            all.contains { $0.identifier == known }
        }
        // A fragment is not part of a URL's display, but names an item of a playlist.
        let address = name.contains("#") ? nil : (try? OriginURL(name))?.display
        let one = all.filter { resource in
            resource.identifier == identifier || resource.display == address
                || resource.isCalled(name)
        }
        let playlists = Set(one.map(\.display) + [name, address].compactMap(\.self))
        let parts = all.filter { resource in
            resource.playlist.map { playlists.contains(String($0)) } ?? false
        }
        guard one.isEmpty, parts.isEmpty else { return one + parts }
        let folders = ([name] + meant.folders).map { $0.hasSuffix("/") ? $0 : "\($0)/" }
        let inside = all.filter { resource in
            folders.contains {
                resource.display.hasPrefix($0) || resource.readableURL.hasPrefix($0)
            }
        }
        guard inside.isEmpty, takesTexts else { return inside }
        return all.filter { $0.isShown(with: name) }
    }

    /// Whether a URL may come from `weir serve`: its host is this machine, and its path begins with
    /// a secret.
    private static func isServed(_ address: Substring) -> Bool {
        guard let url = try? OriginURL(String(address)),
            ["127.0.0.1", "localhost", "[::1]"].contains(where: url.authority.hasPrefix)
        else { return false }
        let first = url.path.split(separator: "/").first ?? ""
        return first.count >= 20 && first.allSatisfy(\.isHexDigit)
    }

    /// The error for a name that selects nothing.
    ///
    /// The message leaves out the query of a URL, which may be a credential.
    private static func nothing(called name: String, _ meant: Meaning) -> CommandError {
        if let source = meant.localSource {
            return .notFound(
                "\(source): is a folder of this machine. Weir plays its files directly, and the cache never holds"
                    + " them; name a file of another source."
            )
        }
        let address = name.prefix { $0 != "?" }
        if Self.isServed(address) {
            return .notFound(
                "\(address) may be an address of weir serve, but the cache uses the addresses of origins; weir cache"
                    + " list shows them."
            )
        }
        guard name.count >= 4 || !name.allSatisfy(\.isHexDigit) else {
            return .notFound(
                "No resource in the cache is called \(address); for an identifier, give at least four digits."
            )
        }
        return .notFound(
            "No resource in the cache is called \(address); weir cache list shows the resources."
        )
    }
}

extension CachedResource {
    /// The playlist that names this resource, as its display; `nil` for any other resource.
    var playlist: Substring? { PlaylistItemName.playlist(of: self.display) }

    /// The URL for people, with spaces and letters beyond ASCII not encoded.
    ///
    /// Pasted into another command, this URL names only this resource. So `%25` stays encoded,
    /// since a bare `%` would give another URL.
    var readableURL: String {
        guard self.display.contains("://") else { return self.display }
        let readable = PercentCoding.readable(self.display)
        // A blank at the end would get lost when a user copies the URL.
        guard readable.last != " ", let url = try? OriginURL(readable),
            url.display.utf8.elementsEqual(self.display.utf8)
        else { return self.display }
        return readable
    }

    /// Whether a text is the URL of this resource, or at least four leading digits of its
    /// identifier.
    fileprivate func isCalled(_ name: String) -> Bool {
        name.count >= 4 && self.identifier.hasPrefix(name.lowercased())
            || self.display == name || self.readableURL == name
    }

    /// Whether the line of the resource in a list contains a text, in any case.
    ///
    /// The line shows decoded names, so `002` does not find `Track%20024`. A text that is a URL may
    /// also have escapes, since users copy URLs from other places.
    func isShown(with text: String) -> Bool {
        let shown = self.readableURL.printable.lowercased()
        let texts = text.contains("://") ? [text, PercentCoding.readable(text)] : [text]
        return texts.contains { shown.contains($0.printable.lowercased()) }
    }
}
