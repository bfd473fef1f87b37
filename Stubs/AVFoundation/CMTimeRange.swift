// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A range of times; the stub always plays the whole item.
///
/// <https://developer.apple.com/documentation/coremedia/cmtimerange>
public struct CMTimeRange: Sendable, Hashable {
    /// The start of the range.
    public var start: CMTime
    /// The duration of the range.
    public var duration: CMTime

    /// A range.
    ///
    /// - Parameters:
    ///   - start: The start of the range.
    ///   - duration: The duration of the range.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// An invalid range; a looper then loops the whole item.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}
