// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache
import WeirHTTP

/// The cache, or the part of it that is one account's.
struct CacheSelection: ParsableArguments {
    @OptionGroup var folder: CacheFolderOption

    @Option(help: .value("name", "Only what is this account's."))
    var account: String?

    /// The resources that are meant.
    func chosen(_ resources: [CachedResource]) -> [CachedResource] {
        guard let account else { return resources }
        return resources.filter { $0.account == account }
    }

    /// How a name may stand for resources.
    enum Scope {
        /// The URL or the identifier of a resource, or `NAME:PATH` of a source.
        case resource
        /// The same, a folder with all that is held of it, or a text as `weir cache list` takes it.
        case listed
    }

    /// The resources of the library that any of the names name, each once; all for no name.
    ///
    /// - Throws: ``CommandError`` with `notFound` if there is none for a name; what the library throws.
    func resources(
        named names: [String],
        as scope: Scope = .resource,
        in library: MediaLibrary
    ) async throws -> [CachedResource] {
        let all = try await library.resources()
        let names = names.map { name in
            let location = self.location(ofSourcePath: name, in: library)
            let identifiers = location?.identifiers(in: library) ?? []
            return identifiers.first { known in all.contains { $0.identifier == known } } ?? name
        }
        return try self.named(names, as: scope, among: all) { name in
            guard let location = self.location(ofSourcePath: name, in: library) else { return [] }
            let storage = location.source.origin(in: library)
            let folder = location.path.asFolder
            return [storage.identity(of: folder), storage.displayName(of: folder)].compactMap(
                \.self
            )
        }
    }

    /// The location that a path of a source names; `nil` for any other name.
    private func location(ofSourcePath name: String, in library: MediaLibrary) -> MediaLocation? {
        let environment = ProgramEnvironment()
        guard let colon = name.firstIndex(of: ":"),
            let configuration = try? self.folder.configuration.load(environment),
            configuration.sources.contains(where: { $0.name == name[..<colon] })
        else { return nil }
        let resolver = MediaResolver(
            library: library,
            configuration: configuration,
            environment: environment,
            given: MediaResolver.Given(account: self.account)
        )
        return try? resolver.location(name)
    }

    /// The same, of these; `folders` gives the other names of a folder of a source.
    func named(
        _ names: [String],
        as scope: Scope = .resource,
        among resources: [CachedResource],
        folders: (String) -> [String] = { _ in [] }
    ) throws(CommandError) -> [CachedResource] {
        let all = self.chosen(resources)
        guard !names.isEmpty else { return all }
        var seen: Set<String> = []
        var found: [CachedResource] = []
        for name in names {
            let listed = scope == .listed ? Self.listed(name, or: folders(name), among: all) : []
            let matches =
                listed.isEmpty ? try Self.resources(named: name, among: all) : listed
            found += matches.filter { seen.insert($0.identifier).inserted }
        }
        return found
    }

    /// The resources in a folder, or else those that `weir cache list` lists for a text; none where the name is that of a
    /// resource.
    private static func listed(
        _ name: String,
        or others: [String],
        among all: [CachedResource]
    ) -> [CachedResource] {
        guard Self.matches(of: name, among: all).isEmpty, !name.isEmpty else { return [] }
        let folders = ([name] + others).map { $0.hasSuffix("/") ? $0 : "\($0)/" }
        let inside = all.filter { resource in
            folders.contains {
                resource.display.hasPrefix($0) || resource.readableURL.hasPrefix($0)
            }
        }
        return inside.isEmpty ? all.filter { $0.isShown(with: name) } : inside
    }

    private static func matches(of name: String, among all: [CachedResource]) -> [CachedResource] {
        let address = name.prefix { $0 != "?" }
        return all.filter { resource in
            resource.display == address || resource.readableURL == name
                || name.count >= 4 && resource.identifier.hasPrefix(name.lowercased())
        }
    }

    /// Whether a URL may be one of `weir serve`: of this machine, with a secret at the beginning of its path.
    private static func isServed(_ address: Substring) -> Bool {
        guard let url = try? OriginURL(String(address)),
            ["127.0.0.1", "localhost", "[::1]"].contains(where: url.authority.hasPrefix)
        else { return false }
        let first = url.path.split(separator: "/").first ?? ""
        return first.count >= 20 && first.allSatisfy(\.isHexDigit)
    }

    /// The resources that a URL, as `weir cache list` shows it, or the first digits of an identifier name.
    private static func resources(
        named name: String,
        among all: [CachedResource]
    ) throws(CommandError) -> [CachedResource] {
        let address = name.prefix { $0 != "?" }
        let matches = Self.matches(of: name, among: all)
        guard !matches.isEmpty else {
            if Self.isServed(address) {
                throw CommandError.notFound(
                    "\(address) may be an address of weir serve, which is no name in the cache; weir cache list shows what is"
                        + " there, under the addresses of its origins."
                )
            }
            guard name.count >= 4 || !name.allSatisfy(\.isHexDigit) else {
                throw CommandError.notFound(
                    "Nothing in the cache is called \(address); of an identifier give four digits at least."
                )
            }
            throw CommandError.notFound(
                "Nothing in the cache is called \(address); weir cache list shows what is there."
            )
        }
        return matches
    }
}
