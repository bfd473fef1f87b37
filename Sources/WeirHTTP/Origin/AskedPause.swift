// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// A pause that an origin asked for by `Retry-After`: its length is told when it begins, and what is left of it every
/// ten seconds.
struct AskedPause {
    /// How often it is told.
    static let interval = Duration.seconds(10)

    /// What is waited for, as it is called in sentences.
    let resource: String
    /// Why.
    let reason: String
    let observer: SourceObserver?

    /// Waits, and tells.
    ///
    /// - Parameters:
    ///   - delay: how long.
    ///   - sleep: waits for a part of it.
    /// - Throws: what `sleep` throws, at once.
    func wait(_ delay: Duration, _ sleep: (Duration) async throws -> Void) async throws {
        var left = delay
        while left > .zero {
            self.observer?(
                .waiting(resource: self.resource, remaining: left, reason: self.reason)
            )
            let part = min(left, Self.interval)
            try await sleep(part)
            left -= part
        }
    }
}
