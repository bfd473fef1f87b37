// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Why a process cannot go on with another one.
package enum PeerError: Error {
    /// The other process has gone, or broke off; another attempt may find another one.
    case disconnected
    /// The other process is there and does not answer.
    case silent
}

/// How the owner of a cache directory answers the other processes, and how they reach it.
///
/// The module WeirSharingSocket has the one implementation, a Unix socket. On platforms where no other process sees an
/// application's folders, a directory has no endpoint.
package protocol OwnerEndpoint: Sendable {
    /// Connects to the owner.
    ///
    /// - Throws: ``PeerError/disconnected`` if no process listens; `CancellationError`.
    func connect() async throws -> any FrameChannel

    /// Answers other processes in the place of the owner before, until the task is cancelled; for the directory's owner.
    ///
    /// - Parameters:
    ///   - publish: does the work that it is given if this process is still the owner, and no other process can become
    ///     it meanwhile; returns whether the work was done.
    ///   - answer: answers one process; runs at the same time for several.
    /// - Throws: ``PeerError/disconnected`` if this process is no longer the owner; an error of the system.
    func serve(
        publish: (() -> Bool) -> Bool,
        answer: @escaping @Sendable (any FrameChannel) async -> Void
    ) async throws

    /// Removes the endpoint from the file system, if it is there; for its owner.
    func remove()
}

/// Finds the endpoint of a directory.
///
/// - Parameters:
///   - directory: the cache directory, as an absolute path.
///   - timeline: measures how long the other end is silent.
/// - Returns: `nil` where a directory has none, and is one process's alone.
package typealias EndpointResolver =
    @Sendable (_ directory: String, _ timeline: Timeline) -> (any OwnerEndpoint)?

/// One end of a connection between two processes: frames out, frames in.
///
/// May be sent on from any task; is read by one. The connection ends with the last reference to it.
package protocol FrameChannel: AnyObject, Sendable {
    /// Sends a frame; returns when the system has taken it, so that a slow reader slows the sender.
    ///
    /// - Throws: any error if the connection has ended.
    func send(_ frame: Frame) async throws

    /// Sends a frame unless earlier ones still wait for the other end; does not wait.
    func offer(_ frame: Frame)

    /// The next frame; `nil` when the other end has gone or has sent bytes that are no frame.
    ///
    /// A task that is cancelled closes the connection. Frames that no task takes stay with the sender.
    func next() async -> Frame?

    /// How long nothing has arrived.
    var silence: Duration { get }

    /// Leaves.
    func close()
}
