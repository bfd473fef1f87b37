// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A field of a tag.
public struct AudioTagField: Hashable, Sendable {
    /// Its name as the tag has it: `TIT2`, `TXXX:description`, `COMM:description:eng`, `TITLE`, `©nam`.
    public var name: String
    /// Its values, in order; most have one.
    ///
    /// None where what is stored is no text, or cannot be read.
    public var values: [String]

    /// A field.
    public init(_ name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }
}
