// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many files the program may have open: one for each file that has been read, and connections.
enum OpenFiles {
    /// Raises the limit as far as the system lets it.
    static func raiseLimit() {
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        // Beyond this some systems refuse, whatever they say.
        limit.rlim_cur = min(limit.rlim_max, 10_240)
        setrlimit(resource, &limit)
    }
}
