// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import ObjectiveC

extension NSObject: Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { unseen() }
    public func hash(into hasher: inout Hasher) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }

/// BOOL, which the importer turns to Bool wherever a function takes or gives it.
@frozen
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    var value: Bool
    public init(_ value: Bool) { unseen() }
    public init(booleanLiteral value: Bool) { unseen() }
    public var boolValue: Bool { unseen() }
}

/// What the compiler calls where a truth value crosses from one language to the other.
public func _convertBoolToObjCBool(_ value: Bool) -> ObjCBool { unseen() }

/// The other way round.
public func _convertObjCBoolToBool(_ value: ObjCBool) -> Bool { unseen() }
