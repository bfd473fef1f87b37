// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirLoader

/// `--revalidate always|60s|never`.
struct RevalidateOption: ExpressibleByArgument, Hashable, Sendable {
    let revalidation: Revalidation

    init?(argument: String) {
        switch argument {
        case "always": self.revalidation = .always
        case "never": self.revalidation = .never
        default:
            guard let span = TimeSpan(argument: argument) else { return nil }
            self.revalidation = span.duration == .zero ? .always : .after(span.duration)
        }
    }
}
