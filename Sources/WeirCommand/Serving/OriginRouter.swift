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
    private let origins: [ServedOrigin]
    private let headers: HTTPHeaderList
    private let account: String?
    /// Whether the path starts with the origin's name.
    private let isNamed: Bool
    private let known = Mutex<[String: Media]>([:])

    init(
        library: MediaLibrary,
        origins: [ServedOrigin],
        headers: HTTPHeaderList,
        account: String?,
        isNamed: Bool
    ) {
        self.library = library
        self.origins = origins
        self.headers = headers
        self.account = account
        self.isNamed = isNamed
    }

    func source(for target: String) -> (any ByteSource)? {
        if let media = self.known.withLock({ $0[target] }) { return media }
        guard let url = self.url(for: target) else { return nil }
        let media = self.library.media(url, headers: self.headers, account: self.account)
        self.known.withLock { known in
            if known.count >= OriginRouter.rememberedCount { known.removeAll() }
            known[target] = media
        }
        return media
    }

    /// The path under which players find an origin's base, to be put behind the secret.
    func path(of origin: ServedOrigin) -> String {
        self.isNamed ? "/\(origin.name)\(origin.base.path)" : origin.base.path
    }

    private func url(for target: String) -> OriginURL? {
        guard self.isNamed else { return self.origins.first?.url(for: target[...]) }
        let rest = target.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let name = rest[..<slash]
        return self.origins.first { $0.name == name }?.url(for: rest[slash...])
    }
}
