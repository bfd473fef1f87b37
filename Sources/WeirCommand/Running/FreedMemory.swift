// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the allocator does with memory that has been freed.
enum FreedMemory {
    /// Has some of it kept for the next piece of media.
    ///
    /// The C library of Linux gives more than 128 KiB at the end of its memory back to the system at once, and gets them
    /// again, page by page, for the next piece: that took a third of the time that it takes to decrypt one. Elsewhere
    /// nothing is done.
    static func keep() {
        #if os(Linux)
        // `malloc.h` is in no module of Swift's; the names and numbers are those of mallopt(3).
        let (trimThreshold, mapThreshold): (CInt, CInt) = (-1, -3)
        guard let address = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(address, to: (@convention(c) (CInt, CInt) -> CInt).self)
        _ = mallopt(trimThreshold, 2 << 20)
        _ = mallopt(mapThreshold, 1 << 20)
        #endif
    }
}
