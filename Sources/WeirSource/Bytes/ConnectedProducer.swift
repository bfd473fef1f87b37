// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A producer whose bytes come over a connection that others may want.
package protocol ConnectedProducer: ChunkProducer {
    /// Nobody wants the bytes for the moment.
    ///
    /// - Parameter giveWay: called, at most once and from any thread, when another request to the same host comes.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void)

    /// Somebody wants the bytes after all.
    func reclaimed()
}
