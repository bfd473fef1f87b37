// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How many bytes a request asks for although they are held: where no validator vouches for a continuation, they
/// tell whether it is of the same file (law 2).
struct Overlap: Hashable, Sendable, CustomStringConvertible {
    /// Bytes before the hole.
    var before: Int64
    /// Bytes after it.
    var after: Int64

    /// A validator tells more than bytes could.
    static let none = Overlap(before: 0, after: 0)

    /// Both numbers.
    var description: String { "\(self.before) before, \(self.after) after" }
}
