// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirLoader

/// `--keep played|whole|first:SIZE`.
struct KeepOption: ExpressibleByArgument, Hashable, Sendable {
    let policy: KeepPolicy

    init(_ policy: KeepPolicy) {
        self.policy = policy
    }

    init?(argument: String) {
        switch argument {
        case "played": self.policy = .played
        case "whole": self.policy = .whole
        default:
            guard argument.hasPrefix("first:"),
                let size = ByteSize(argument: String(argument.dropFirst("first:".count)))
            else { return nil }
            self.policy = .first(size.bytes)
        }
    }

    var defaultValueDescription: String {
        switch self.policy {
        case .played: "played"
        case .whole: "whole"
        case .first(let bytes): "first:\(bytes)"
        }
    }
}
