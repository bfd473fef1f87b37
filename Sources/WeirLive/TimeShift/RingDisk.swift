// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a ring keeps what is too much for memory.
protocol RingDisk: AnyObject, Sendable {
    /// Writes all of the bytes at a position.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(RingDiskError)
    /// Fills the buffer with the bytes from a position on, which were written before.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(RingDiskError)
}
