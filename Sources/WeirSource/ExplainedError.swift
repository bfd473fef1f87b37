// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error with one sentence for a person: what was tried, what happened, what to do.
///
/// Each module of Weir has errors of its own, with codes of their own. The sentence is also the error's
/// `localizedDescription`.
public protocol ExplainedError: LocalizedError, CustomStringConvertible, Sendable {
    /// The sentence.
    var message: String { get }
}

extension ExplainedError {
    /// The sentence.
    public var errorDescription: String? { self.message }

    // Foundation's defaults count only in files that import it; these count in every file.

    /// `nil`: the sentence says it.
    public var failureReason: String? { nil }

    /// `nil`: the sentence says it.
    public var recoverySuggestion: String? { nil }

    /// `nil`.
    public var helpAnchor: String? { nil }

    /// The sentence.
    public var description: String { self.message }
}
