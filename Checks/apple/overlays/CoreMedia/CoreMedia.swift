// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import CoreMedia

extension CMTime {
    public init(seconds: Double, preferredTimescale: CMTimeScale) { unseen() }
    public init(value: CMTimeValue, timescale: CMTimeScale) { unseen() }
    public var seconds: Double { unseen() }
    public var isValid: Bool { unseen() }
    public var isNumeric: Bool { unseen() }
    public var isIndefinite: Bool { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
