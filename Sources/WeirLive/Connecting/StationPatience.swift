// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// That a server said how long it wants to be left alone: the cause of the `SourceError` that a line throws.
public struct StationPatience: Error, Hashable, Sendable {
    /// How long the server wants not to be asked; the station keeps to it as far as
    /// ``ReconnectPolicy/patienceLimit`` goes.
    public var delay: Duration

    /// A server's wish.
    ///
    /// - Parameter delay: how long the server wants not to be asked.
    public init(delay: Duration) {
        self.delay = delay
    }
}
