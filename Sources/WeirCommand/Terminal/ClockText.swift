// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Times as players show them.
enum ClockText {
    /// Minutes and seconds, with hours where there are some: `1:02:03`; nothing below a second counts.
    static func text(_ time: Duration) -> String {
        let seconds = max(0, time.components.seconds)
        let ofMinute = Self.two(seconds % 60)
        return seconds >= 3600
            ? "\(seconds / 3600):\(Self.two(seconds % 3600 / 60)):\(ofMinute)"
            : "\(seconds / 60):\(ofMinute)"
    }

    /// Whole seconds, to the nearest: `3 s`.
    static func seconds(_ time: Duration) -> String {
        let (whole, rest) = time.components
        return "\(max(0, rest >= 500_000_000_000_000_000 ? whole.addingClamped(1) : whole)) s"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
