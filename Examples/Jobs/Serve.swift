// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirProxy

/// Gives a medium an address that any player on this machine can open.
func serve(_ media: Media, as name: String) async throws -> (proxy: ProxyServer, url: String) {
    let proxy = try await ProxyServer.start(
        ProxyConfiguration(),
        router: OneMedium(media: media, name: name)
    )
    return (proxy, "\(proxy.baseURL)/\(name)")
}

/// Leads one name to one medium.
struct OneMedium: ProxyRouter {
    let media: Media
    let name: String

    func source(for target: String) -> (any ByteSource)? {
        target == "/\(self.name)" ? self.media : nil
    }
}
