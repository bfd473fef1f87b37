// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The system's limit for the open descriptors of this process.
enum OpenFileLimit {
    #if canImport(Darwin) || canImport(Musl)
    private static let resource = RLIMIT_NOFILE
    #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif

    /// The limit at the start of the process, which child programs expect.
    private static let original = read()

    /// The current limit; `nil` if the system reports none.
    static var current: UInt64? { read().map { UInt64($0.rlim_cur) } }

    /// Raises the limit to the hard limit, which needs no privileges.
    ///
    /// The lower default of most systems is for programs that use select(2).
    static func raise() {
        guard var limit = original else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // The system refuses a higher limit than this, whatever the hard limit is.
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        guard limit.rlim_cur > original?.rlim_cur ?? 0 else { return }
        _ = setrlimit(resource, &limit)
    }

    /// Starts a program with the original limit of this process.
    ///
    /// Programs inherit the limit, and some close every possible descriptor, or use select(2).
    /// While `body` runs, other threads may fail to open descriptors, as they would without
    /// ``raise()``.
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
