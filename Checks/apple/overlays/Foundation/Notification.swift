// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

/// What a notification centre tells; not Sendable, as Apple's is not.
public struct Notification: Hashable {
    public typealias Name = NSNotification.Name

    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?

    public init(name: Name, object: Any? = nil, userInfo: [AnyHashable: Any]? = nil) { unseen() }

    public static func == (left: Notification, right: Notification) -> Bool { unseen() }
    public func hash(into hasher: inout Hasher) { unseen() }
}

@available(*, unavailable)
extension Notification: Sendable {}

/// FoundationEssentials has a class of this name, too: what Foundation itself declares goes before.
public typealias NotificationCenter = NSNotificationCenter
