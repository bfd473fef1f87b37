// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream with a title.
public struct AudioChapter: Hashable, Sendable {
    /// When it starts, in milliseconds.
    public var startMilliseconds: Int64
    /// When it ends, in milliseconds; `nil` where the tag does not say.
    public var endMilliseconds: Int64?
    /// Its title; empty if it has none.
    public var title: String

    /// A chapter.
    public init(startMilliseconds: Int64, endMilliseconds: Int64?, title: String) {
        self.startMilliseconds = startMilliseconds
        self.endMilliseconds = endMilliseconds
        self.title = title
    }
}
