// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a platform is made to stop reading from a connection.
enum FlowControl: Hashable, Sendable {
    /// It cannot be; the thread that reads from the socket is slowed down by short waits inside the
    /// delegate's calls, and a consumer who stays behind nonetheless loses the connection.
    ///
    /// For FoundationNetworking. There `suspend()` closes the connection, and `resume()` sends the
    /// request again and delivers the body from its start. A delegate that waits longer would stop all
    /// sessions of the process, since their threads are one.
    case braking
    /// The task is suspended. Apple's documentation says that tasks other than downloads start over when they are resumed;
    /// other libraries suspend data tasks all the same, and they go on. One that starts over loses its body here, and
    /// is asked for from its byte.
    case suspending

    /// What this platform needs.
    static var native: FlowControl {
        #if canImport(FoundationNetworking)
        .braking
        #else
        .suspending
        #endif
    }

    /// How many bytes may wait for a consumer before the flow is held.
    static let slack = 256 * 1024

    /// How long one call of a delegate waits while the flow is held, in milliseconds.
    ///
    /// With pieces of 16 KiB it is a consumer of less than 8 MB/s who stays behind.
    static let brake = 2
}
