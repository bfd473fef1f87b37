// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many descriptors the system lets this process have.
enum OpenFileLimit {
    #if canImport(Darwin) || canImport(Musl)
    private static let resource = RLIMIT_NOFILE
    #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif

    /// The limit that the process was started with, and that the programs it starts expect.
    private static let original = read()

    /// The limit that holds now; `nil` if the system does not say.
    static var current: UInt64? { read().map { UInt64($0.rlim_cur) } }

    /// Raises the limit as far as the system lets a process without privileges.
    ///
    /// The lower limit that most systems start programs with is for those that use select(2).
    static func raise() {
        guard var limit = original else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // The system refuses more than this, whatever the hard limit is.
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        guard limit.rlim_cur > original?.rlim_cur ?? 0 else { return }
        _ = setrlimit(resource, &limit)
    }

    /// Starts a program with the limit that this one was started with.
    ///
    /// Programs inherit the limit, and some close every descriptor there might be, or use select(2). What other threads
    /// open meanwhile may fail as it would have without ``raise()``.
    static func withOriginal<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard var original, var raised = read(), original.rlim_cur != raised.rlim_cur else {
            return try body()
        }
        _ = setrlimit(resource, &original)
        defer { _ = setrlimit(resource, &raised) }
        return try body()
    }

    private static func read() -> rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
