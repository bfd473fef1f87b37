// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The part of CoreMedia that seeking needs; on Apple's systems AVFoundation re-exports it.

/// A time, as a fraction.
///
/// <https://developer.apple.com/documentation/coremedia/cmtime>
public struct CMTime: Sendable {
    /// The numerator.
    public var value: Int64
    /// The denominator.
    public var timescale: Int32
    private var isNumber: Bool

    /// A fraction of a second.
    ///
    /// - Parameters:
    ///   - value: The numerator.
    ///   - timescale: The denominator.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
        isNumber = timescale != 0
    }

    /// A number of seconds.
    ///
    /// - Parameters:
    ///   - seconds: The seconds.
    ///   - preferredTimescale: The denominator.
    public init(seconds: Double, preferredTimescale: Int32) {
        self.init(
            value: Int64((seconds * Double(preferredTimescale)).rounded()),
            timescale: preferredTimescale
        )
    }

    /// An invalid time.
    public static let invalid = CMTime(value: 0, timescale: 0)
    /// The beginning.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// Whether the time is valid.
    public var isValid: Bool { isNumber }

    /// The time in seconds; NaN if the time is invalid.
    public var seconds: Double {
        isNumber ? Double(value) / Double(timescale) : .nan
    }
}

extension CMTime: Hashable {
    /// Whether two times are equal, whatever their denominators are.
    ///
    /// - Parameters:
    ///   - lhs: The first time.
    ///   - rhs: The second time.
    /// - Returns: Whether they are equal.
    public static func == (lhs: CMTime, rhs: CMTime) -> Bool {
        lhs.isNumber == rhs.isNumber && (!lhs.isNumber || lhs.seconds == rhs.seconds)
    }

    /// Hashes the time.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(isNumber ? seconds : -1)
    }
}
