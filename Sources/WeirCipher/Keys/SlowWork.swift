// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Work that keeps a processor busy for as long as somebody else chose: deriving a key.
enum SlowWork {
    /// One after the other: scrypt may take 256 MiB for each.
    private static let queue = DispatchQueue(label: "weir.cipher.derivation", qos: .userInitiated)

    /// Does it where it keeps no other task from running, and comes back when it is done.
    ///
    /// It cannot be broken off: the caller waits for its end.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async {
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
