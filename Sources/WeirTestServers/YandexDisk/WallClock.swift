// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The time of this machine.
public enum WallClock {
    /// Seconds since 1 January 1970, UTC.
    public static var unixSeconds: Double { Date().timeIntervalSince1970 }
}
