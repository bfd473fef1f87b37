// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension UnsafeRawBufferPointer {
    /// Whether two runs of bytes are the same, at the speed of memory in a debug build too.
    func elementsEqualQuickly(_ other: UnsafeRawBufferPointer) -> Bool {
        guard self.count == other.count else { return false }
        guard let mine = self.baseAddress, let theirs = other.baseAddress else { return true }
        return memcmp(mine, theirs, self.count) == 0
    }
}
