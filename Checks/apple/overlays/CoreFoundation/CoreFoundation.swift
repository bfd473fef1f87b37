// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import CoreFoundationTypes

/// What the importer makes every Core Foundation type conform to.
public protocol _CFObject: AnyObject, Hashable {}

extension _CFObject {
    public var hashValue: Int { unseen() }
    public func hash(into hasher: inout Hasher) { unseen() }
    public static func == (left: Self, right: Self) -> Bool { unseen() }
}

public typealias CGFloat = Double

public struct CGPoint: Hashable, Sendable {
    public var x: CGFloat
    public var y: CGFloat
}

public struct CGSize: Hashable, Sendable {
    public var width: CGFloat
    public var height: CGFloat
}

public struct CGRect: Hashable, Sendable {
    public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
