// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which networks the user allows for a connection, and the time limit for opening it.
package struct NetworkSettings: Hashable, Sendable {
    /// Whether cellular networks may be used.
    package var allowsCellularAccess = true
    /// Whether expensive networks may be used, such as cellular ones and hotspots.
    package var allowsExpensiveAccess = true
    /// Whether networks may be used in Low Data Mode.
    package var allowsConstrainedAccess = true
    /// The time limit for opening a connection, TLS included.
    package var timeLimit = Duration.seconds(10)

    package init() {}
}
