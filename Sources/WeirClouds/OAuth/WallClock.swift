// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The time of day, for what services say in absolute times.
public enum WallClock {
    /// Seconds since 1970-01-01 00:00 UTC.
    public static func seconds() -> Int64 {
        Int64(Date().timeIntervalSince1970)
    }
}
