// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirProxy

/// Gives a medium an address that any player on this machine can open.
func serve(_ media: Media) async throws -> (proxy: MediaProxy, url: URL) {
    let proxy = try await MediaProxy.start()
    let url = try await proxy.publish(media)
    return (proxy, url)
}
