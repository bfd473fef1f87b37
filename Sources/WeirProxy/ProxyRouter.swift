// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Finds the resource that an address of the proxy stands for.
public protocol ProxyRouter: Sendable {
    /// Finds the source behind a target.
    ///
    /// Called on an event loop, for every request: it must return at once. It should answer the
    /// same source for the same target, since what a source holds is what requests share.
    ///
    /// - Parameter target: what follows the secret in the address: the path, byte for byte as the
    ///   player sent it, and the query. It starts with a slash.
    /// - Returns: `nil` if there is none: the player is told 404.
    func source(for target: String) -> (any ByteSource)?
}
