// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Memory with a fixed address, freed with its last reference.
///
/// `@unchecked Sendable`: it is written by whoever made it, before it is handed to anybody else, and only read after
/// that.
final class ByteStorage: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>
    let capacity: Int

    /// - Parameter capacity: how many bytes, from 0; an empty storage holds one.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
        self.base = .allocate(capacity: self.capacity)
    }

    deinit {
        self.base.deallocate()
    }
}
