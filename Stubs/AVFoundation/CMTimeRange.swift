// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A range of times; the stub always plays everything.
///
/// <https://developer.apple.com/documentation/coremedia/cmtimerange>
public struct CMTimeRange: Sendable, Hashable {
    /// Where it begins.
    public var start: CMTime
    /// How long it is.
    public var duration: CMTime

    /// A range.
    ///
    /// - Parameters:
    ///   - start: Where it begins.
    ///   - duration: How long it is.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// No range: for a looper, everything.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}
