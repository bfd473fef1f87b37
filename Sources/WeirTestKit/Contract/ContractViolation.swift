// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A promise of ``ByteSourceContract`` that a source does not keep.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the clause.
    public let clause: String
    /// What the source did instead.
    public let message: String

    /// One sentence: the clause and what was seen.
    public var description: String {
        "The source breaks the clause \"\(self.clause)\": it \(self.message)."
    }
}
