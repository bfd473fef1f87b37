// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

// Which Swift type stands for which class: the importer asks these conformances.

extension String: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        unseen()
    }
}

extension Array: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSArray { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSArray, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSArray, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSArray?) -> Self { unseen() }
}

extension Dictionary: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDictionary { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDictionary, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSDictionary,
        result: inout Self?
    ) -> Bool { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDictionary?) -> Self {
        unseen()
    }
}

extension Data: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSData { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Self { unseen() }
}

extension Date: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDate { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDate, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSDate, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDate?) -> Self { unseen() }
}

extension URL: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURL { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURL, result: inout Self?) { unseen() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURL, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURL?) -> Self { unseen() }
}

extension URLRequest: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURLRequest { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSURLRequest,
        result: inout Self?
    ) -> Bool { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> Self {
        unseen()
    }
}

extension Notification: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNotification { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNotification, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSNotification,
        result: inout Self?
    ) -> Bool { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNotification?) -> Self {
        unseen()
    }
}

extension Int: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Self {
        unseen()
    }
}

extension UInt: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Self {
        unseen()
    }
}

extension Double: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Self {
        unseen()
    }
}

extension Bool: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { unseen() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) {
        unseen()
    }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?)
        -> Bool
    { unseen() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Self {
        unseen()
    }
}
