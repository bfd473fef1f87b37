// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirProxy

/// Finds the medium behind a proxied path.
final class OriginRouter: ProxyRouter {
    /// How many paths are remembered, so that a request costs one look-up.
    private static let rememberedCount = 256

    private let library: MediaLibrary
    private let sources: [any ServedSource]
    /// Whether the path starts with the source's name.
    private let isNamed: Bool
    private let known = Mutex<[String: Media]>([:])

    init(library: MediaLibrary, sources: [any ServedSource], isNamed: Bool) {
        self.library = library
        self.sources = sources
        self.isNamed = isNamed
    }

    func source(for target: String) -> (any ByteSource)? {
        if let media = self.known.withLock({ $0[target] }) { return media }
        guard let media = self.media(for: target) else { return nil }
        self.known.withLock { known in
            if known.count >= OriginRouter.rememberedCount { known.removeAll() }
            known[target] = media
        }
        return media
    }

    /// The path under which players find what a source has, to be put behind the secret.
    func path(_ target: String, of source: any ServedSource) -> String {
        self.isNamed ? "/\(source.name)\(target)" : target
    }

    private func media(for target: String) -> Media? {
        guard self.isNamed else {
            return self.sources.first?.media(for: target[...], in: self.library)
        }
        let rest = target.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let name = rest[..<slash]
        return self.sources.first { $0.name == name }?.media(
            for: rest[slash...],
            in: self.library
        )
    }
}
