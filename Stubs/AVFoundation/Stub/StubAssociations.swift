// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sendable: the table is behind `lock`; its values are only returned to the code that stored them.

/// The values associated with the objects of this stub; they are released with the objects.
final class StubAssociations: @unchecked Sendable {
    static let shared = StubAssociations()

    private let lock = NSLock()
    private var values: [ObjectIdentifier: [UnsafeRawPointer: Any]] = [:]

    private init() {}

    func set(_ value: Any?, of object: AnyObject, for key: UnsafeRawPointer) {
        // The old value is released outside the lock: its deinitializer may call this object.
        let old = lock.withLock {
            let old = values[ObjectIdentifier(object)]?[key]
            values[ObjectIdentifier(object), default: [:]][key] = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    func value(of object: AnyObject, for key: UnsafeRawPointer) -> Any? {
        lock.withLock { values[ObjectIdentifier(object)]?[key] }
    }

    /// Called by the deinitializer of every class that can have associations.
    func forget(_ object: AnyObject) {
        let old = lock.withLock { values.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(old) {}
    }
}
