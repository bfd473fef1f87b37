// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A reference that does not keep its object alive.
@usableFromInline
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The object; `nil` when it was deallocated.
    @usableFromInline
    package weak let object: Object?

    /// Refers to an object.
    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
