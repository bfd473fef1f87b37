// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
public import WeirLoader
public import WeirSource

/// `--keep played|whole|first:SIZE`.
extension PrefetchPolicy: DescribedArgument {
    static let forms = "played, whole or first:SIZE, as in first:2MB"

    /// Reads a policy.
    public init?(argument: String) {
        switch argument {
        case "played": self = .nothing
        case "whole": self = .whole
        default:
            guard argument.hasPrefix("first:"),
                let size = ByteSize(argument: String(argument.dropFirst("first:".count)))
            else { return nil }
            self = .first(size.bytes)
        }
    }
}

/// `--revalidate always|60s|never`.
extension Revalidation: DescribedArgument {
    static let forms = "always, never, or a time such as 60s or 12h"

    /// Reads a time, or one of the words.
    public init?(argument: String) {
        switch argument {
        case "always": self = .always
        case "never": self = .never
        default:
            guard let span = TimeSpan(argument: argument) else { return nil }
            self = span.duration == .zero ? .always : .after(span.duration)
        }
    }
}

/// `--validator strong|modified`.
extension ValidatorPolicy: DescribedArgument {
    static let forms = "strong or modified"
    /// The same forms, as the configuration writes them.
    static let quotedForms = "\"strong\" or \"modified\""

    /// Reads one of the words.
    public init?(argument: String) {
        switch argument {
        case "strong": self = .strong
        case "modified": self = .modified
        default: return nil
        }
    }
}

/// `--when-gone serve|refuse`.
extension WhenGone: DescribedArgument {
    static let forms = "serve or refuse"

    /// Reads one of the words.
    public init?(argument: String) {
        switch argument {
        case "serve": self = .serve
        case "refuse": self = .refuse
        default: return nil
        }
    }
}
