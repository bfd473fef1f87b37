// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The part of the Objective-C runtime that keeps a delegate alive as long as its asset. The
// deinitializers of this stub's own classes release associations, so only instances of these
// classes can have associations.

// swift-format-ignore: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized
/// How an association holds its value.
///
/// <https://developer.apple.com/documentation/objectivec/objc_associationpolicy>
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Weak and unsafe; not supported by the stub.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// A strong reference.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// A copy; not supported by the stub.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// A strong reference.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// A copy; not supported by the stub.
    case OBJC_ASSOCIATION_COPY = 771
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Associates a value with an object until the value is replaced or the object is released.
///
/// <https://developer.apple.com/documentation/objectivec/objc_setassociatedobject(_:_:_:_:)>
///
/// - Parameters:
///   - object: An asset, a resource loader, a player item or a player.
///   - key: The key; its address identifies the association.
///   - value: The value; nil to end the association.
///   - policy: How the value is held; the stub always holds it strongly.
public func objc_setAssociatedObject(
    _ object: Any,
    _ key: UnsafeRawPointer,
    _ value: Any?,
    _ policy: objc_AssociationPolicy
) {
    precondition(
        object is AVAsset || object is AVAssetResourceLoader || object is AVPlayerItem
            || object is AVPlayer,
        "the stub associates with its own classes only"
    )
    precondition(
        policy == .OBJC_ASSOCIATION_RETAIN || policy == .OBJC_ASSOCIATION_RETAIN_NONATOMIC,
        "the stub retains only"
    )
    StubAssociations.shared.set(value, of: object as AnyObject, for: key)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The value associated with an object.
///
/// <https://developer.apple.com/documentation/objectivec/objc_getassociatedobject(_:_:)>
///
/// - Parameters:
///   - object: The object.
///   - key: The key; its address identifies the association.
/// - Returns: The value, or nil.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    StubAssociations.shared.value(of: object as AnyObject, for: key)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Ends every association of an object.
///
/// <https://developer.apple.com/documentation/objectivec/objc_removeassociatedobjects(_:)>
///
/// - Parameter object: The object.
public func objc_removeAssociatedObjects(_ object: Any) {
    StubAssociations.shared.forget(object as AnyObject)
}
