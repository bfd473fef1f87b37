// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache

/// The resources of a cache, as a user names them.
struct CachedThings {
    /// All of them, the most recently used first.
    let all: [CachedResource]

    init(_ library: MediaLibrary) async throws {
        self.all = try await library.resources()
    }

    /// Those that a URL, as `weir cache list` shows it, or the first digits of an identifier name.
    ///
    /// - Throws: ``CommandError`` with `notFound` if there is none.
    func named(_ thing: String) throws(CommandError) -> [CachedResource] {
        let matches = self.all.filter { Self.matches($0, thing) }
        guard !matches.isEmpty else {
            throw CommandError(
                .notFound,
                "Nothing in the cache is called \(thing.prefix { $0 != "?" }); weir cache list shows what is there."
            )
        }
        return matches
    }

    /// Those that some things name, each once; all for none.
    func named(_ things: [String]) throws(CommandError) -> [CachedResource] {
        guard !things.isEmpty else { return self.all }
        var seen: Set<String> = []
        var resources: [CachedResource] = []
        for thing in things {
            resources += try self.named(thing).filter { seen.insert($0.identifier).inserted }
        }
        return resources
    }

    private static func matches(_ resource: CachedResource, _ thing: String) -> Bool {
        resource.display == thing.prefix { $0 != "?" }
            || thing.count >= 4 && resource.identifier.hasPrefix(thing.lowercased())
    }
}
