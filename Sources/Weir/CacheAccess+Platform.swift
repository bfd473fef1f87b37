// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSharing
import WeirSource

#if os(Linux) || os(macOS)
import WeirSharingSocket
#endif

extension CacheAccess {
    /// Finds the endpoint where the owner of a cache folder answers other processes on this platform.
    ///
    /// `nil` on platforms other than Linux and macOS: an application does not share its folder there.
    static let platformEndpoint: EndpointResolver = { directory, timeline in
        #if os(Linux) || os(macOS)
        OwnerSocket(of: directory, timeline: timeline)
        #else
        nil
        #endif
    }
}
