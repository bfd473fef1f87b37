// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirProxy

/// Finds the medium or the station behind a proxied path.
final class OriginRouter: ProxyRouter {
    /// How many paths are remembered, so that a request costs one look-up.
    private static let rememberedCount = 256

    private let library: MediaLibrary
    private let things: [ServedThing]
    /// Whether the path starts with the thing's name.
    private let isNamed: Bool
    private let known = Mutex<[String: any ByteSource]>([:])

    init(library: MediaLibrary, things: [ServedThing], isNamed: Bool) {
        self.library = library
        self.things = things
        self.isNamed = isNamed
    }

    func source(for target: String) -> (any ByteSource)? {
        if let source = self.known.withLock({ $0[target] }) { return source }
        guard let source = self.found(target) else { return nil }
        self.known.withLock { known in
            if known.count >= OriginRouter.rememberedCount { known.removeAll() }
            known[target] = source
        }
        return source
    }

    /// The path under which players find a thing, to be put behind the secret.
    func path(of thing: ServedThing) -> String {
        self.isNamed ? "/\(thing.name)\(thing.target)" : thing.target
    }

    private func found(_ target: String) -> (any ByteSource)? {
        guard self.isNamed else {
            return self.things.first?.source(for: target[...], in: self.library)
        }
        let rest = target.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let name = rest[..<slash]
        return self.things.first { $0.name == name }?.source(
            for: rest[slash...],
            in: self.library
        )
    }
}
