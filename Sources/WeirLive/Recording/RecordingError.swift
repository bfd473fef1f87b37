// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a recording cannot begin, or not go on.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for a person.
    public var message: String

    /// A reason.
    public init(_ message: String) {
        self.message = message
    }

    /// The sentence.
    public var description: String { self.message }
}
