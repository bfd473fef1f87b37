// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirLoader

/// `--when-gone serve|refuse`.
enum WhenGoneOption: String, ExpressibleByArgument, Hashable, Sendable {
    case serve
    case refuse

    /// What it says to the loader.
    var rule: WhenGone {
        switch self {
        case .serve: .serve
        case .refuse: .refuse
        }
    }
}
