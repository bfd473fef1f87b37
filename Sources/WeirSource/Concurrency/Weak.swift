// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A reference that does not keep its object alive.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The object; `nil` when it was deallocated.
    package private(set) weak var object: Object?

    /// Refers to an object.
    package init(_ object: Object) {
        self.object = object
    }
}
