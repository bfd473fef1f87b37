// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Work that ends early when something else happens.
enum Race {
    /// The result of the work, or the error of whichever throws first.
    ///
    /// All tasks are children of this call and have ended when it returns.
    ///
    /// - Parameters:
    ///   - work: returns soon when it is cancelled.
    ///   - limits: each ends by throwing, or when it is cancelled.
    /// - Returns: what the work returned.
    /// - Throws: what the work or a limit threw; `CancellationError`.
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result,
        against limits: [@Sendable () async throws -> Void]
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            for limit in limits {
                group.addTask {
                    try await limit()
                    return nil
                }
            }
            while let outcome = try await group.next() {
                if let outcome { return outcome }
            }
            throw CancellationError()
        }
    }
}
