// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which networks the user allows a connection, and how long it may take to stand.
package struct NetworkSettings: Hashable, Sendable {
    /// Whether cellular networks may be used.
    package var allowsCellularAccess = true
    /// Whether networks may be used that cost the user, such as cellular ones and hotspots.
    package var allowsExpensiveAccess = true
    /// Whether networks may be used in Low Data Mode.
    package var allowsConstrainedAccess = true
    /// How long a connection may take to stand, TLS included.
    package var timeLimit = Duration.seconds(10)

    package init() {}
}
