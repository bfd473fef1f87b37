// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSharing
import WeirSource

#if os(Linux) || os(macOS)
import WeirSharingSocket
#endif

extension CacheAccess {
    /// Finds where the owner of a cache folder answers other processes on this platform.
    ///
    /// Elsewhere than on Linux and macOS, an application's folder is its own.
    static let platformEndpoint: EndpointResolver = { directory, timeline in
        #if os(Linux) || os(macOS)
        OwnerSocket(of: directory, timeline: timeline)
        #else
        nil
        #endif
    }
}
