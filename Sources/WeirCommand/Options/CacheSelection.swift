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

    /// The resources of the library that any of the names name, each once; all for no name.
    ///
    /// - Throws: ``CommandError`` with `notFound` if there is none for a name; what the library throws.
    func resources(named names: [String], in library: MediaLibrary) async throws -> [CachedResource]
    {
        let all = try await library.resources()
        let names = names.map { name in
            let identifiers = self.identifiers(ofSourcePath: name, in: library)
            return identifiers.first { known in all.contains { $0.identifier == known } } ?? name
        }
        return try self.named(names, among: all)
    }

    /// What the cache calls what a path of a source names, as it is listed and as a part of a URL; none for any other name.
    private func identifiers(ofSourcePath name: String, in library: MediaLibrary) -> [String] {
        let environment = ProgramEnvironment()
        guard let colon = name.firstIndex(of: ":"),
            let configuration = try? self.folder.configuration.load(environment),
            configuration.sources.contains(where: { $0.name == name[..<colon] })
        else { return [] }
        let resolver = MediaResolver(
            library: library,
            configuration: configuration,
            environment: environment,
            given: MediaResolver.Given(account: self.account)
        )
        guard let location = try? resolver.location(name) else { return [] }
        return [location.target, location.urlTarget].compactMap { target in
            target.flatMap { location.source.media(for: $0[...], in: library)?.cacheIdentifier }
        }
    }

    /// The same, of these.
    func named(
        _ names: [String],
        among resources: [CachedResource]
    ) throws(CommandError) -> [CachedResource] {
        let all = self.chosen(resources)
        guard !names.isEmpty else { return all }
        var seen: Set<String> = []
        var found: [CachedResource] = []
        for name in names {
            found += try Self.resources(named: name, among: all)
                .filter { seen.insert($0.identifier).inserted }
        }
        return found
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
        let matches = all.filter { resource in
            resource.display == address || resource.readableURL == name
                || name.count >= 4 && resource.identifier.hasPrefix(name.lowercased())
        }
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
