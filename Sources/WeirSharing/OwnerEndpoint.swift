// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Why a process cannot continue with another process.
package enum PeerError: Error {
    /// The other process has gone, or has disconnected; another attempt may find another process.
    case disconnected
    /// The other process is connected, but does not respond.
    case silent
}

/// The means by which the owner of a cache directory answers other processes, and by which these
/// reach the owner.
///
/// The module WeirSharingSocket has the only implementation, a Unix socket. On platforms where no
/// other process sees an application's folders, a directory has no endpoint.
package protocol OwnerEndpoint: Sendable {
    /// Connects to the owner.
    ///
    /// - Throws: ``PeerError/disconnected`` if no process listens; `CancellationError`.
    func connect() async throws -> any FrameChannel

    /// Answers other processes in place of the previous owner, until the task is cancelled; only
    /// for the owner.
    ///
    /// - Parameters:
    ///   - publish: does the given work if this process is still the owner, and prevents another
    ///     process from becoming the owner in the meantime. Returns whether the work was done.
    ///   - answer: answers one process; runs for several at the same time.
    /// - Throws: ``PeerError/disconnected`` if this process is no longer the owner; an error of the
    ///   system.
    func serve(
        publish: (() -> Bool) -> Bool,
        answer: @escaping @Sendable (any FrameChannel) async -> Void
    ) async throws

    /// Removes the endpoint from the file system, if it exists; only for its owner.
    func remove()
}

/// Finds the endpoint of a directory.
///
/// - Parameters:
///   - directory: the cache directory, as an absolute path.
///   - timeline: measures how long the other end is silent.
/// - Returns: `nil` if the directory has no endpoint, so that only one process can use it.
package typealias EndpointResolver =
    @Sendable (_ directory: String, _ timeline: Timeline) -> (any OwnerEndpoint)?

/// One end of a connection between two processes: frames out, frames in.
///
/// Any task may send; one task reads. The connection ends with the last reference to this object.
package protocol FrameChannel: AnyObject, Sendable {
    /// Sends a frame; returns when the system has accepted it, so that a slow reader slows the
    /// sender.
    ///
    /// - Throws: any error if the connection has ended.
    func send(_ frame: Frame) async throws

    /// Sends a frame, unless earlier ones still wait for the other end; does not wait.
    func offer(_ frame: Frame)

    /// The next frame; `nil` when the other end has gone or has sent bytes that are not a frame.
    ///
    /// Cancelling the task closes the connection. Frames that no task takes stay with the sender.
    func next() async -> Frame?

    /// How long ago the last bytes arrived.
    var silence: Duration { get }

    /// Closes the connection.
    func close()
}
