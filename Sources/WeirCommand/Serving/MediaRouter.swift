// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirProxy

/// Finds the medium or the station of a proxied path.
final class MediaRouter: ProxyRouter {
    /// How many paths are remembered, so that a request costs one look-up.
    private static let rememberedCount = 256

    private let library: MediaLibrary
    private let references: [MediaReference]
    /// Whether the path starts with the reference's name.
    private let isNamed: Bool
    private let known = Mutex<[String: any ByteSource]>([:])

    init(library: MediaLibrary, references: [MediaReference], isNamed: Bool) {
        self.library = library
        self.references = references
        self.isNamed = isNamed
    }

    func source(for target: String) -> (any ByteSource)? {
        if let source = self.known.withLock({ $0[target] }) { return source }
        guard let source = self.found(target) else { return nil }
        self.known.withLock { known in
            if known.count >= MediaRouter.rememberedCount { known.removeAll() }
            known[target] = source
        }
        return source
    }

    /// The path under which players find a reference, to be put behind the secret.
    func path(of reference: MediaReference) -> String {
        self.isNamed ? "/\(reference.name)\(reference.target)" : reference.target
    }

    private func found(_ target: String) -> (any ByteSource)? {
        guard self.isNamed else {
            return self.references.first?.served(target[...], in: self.library)
        }
        let rest = target.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let name = rest[..<slash]
        return self.references.first { $0.name == name }?
            .served(rest[slash...], in: self.library)
    }
}
