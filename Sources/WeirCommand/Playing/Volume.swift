// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How loud to play, as `--volume` takes it: 0 to 100.
struct Volume: ExpressibleByArgument, Hashable, Sendable {
    /// From 0 to 1.
    let share: Double

    init?(argument: String) {
        guard let number = Int(argument), (0...100).contains(number) else { return nil }
        self.share = Double(number) / 100
    }
}
