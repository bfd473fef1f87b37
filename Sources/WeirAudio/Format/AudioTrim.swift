// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an encoder added at the ends and a player takes away, so that nothing is heard but the source.
public struct AudioTrim: Hashable, Sendable {
    /// Decoded samples to drop at the start, decoder delay included.
    public var leading: SampleCount
    /// Decoded samples to drop at the end; `nil` while that is not known.
    public var trailing: SampleCount?

    /// A trim.
    public init(leading: SampleCount, trailing: SampleCount?) {
        self.leading = leading
        self.trailing = trailing
    }
}
