// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// The memory that the program has freed, and that the GNU C library keeps for its next use.
///
/// With any other C library, these methods do nothing.
enum FreedMemory {
    /// How much free memory stays at the end of the heap.
    private static let kept = 16 << 20
    /// How long after a request the library returns free memory.
    ///
    /// By then the proxy has closed the connections without a new request.
    private static let delay = DispatchTimeInterval.seconds(90)
    private static let isReturnDue = Atomic(false)

    /// Makes the library keep some freed memory for the next piece of media.
    ///
    /// The library returns free memory at the end of its heap to the system at once if it exceeds
    /// 128 KiB. For the next piece, the system provides the memory again, page by page; this took a
    /// third of the time for decrypting a piece. So the limit is 16 MiB, more than the pieces of a
    /// cold file that wait for the disk and for its reader. The library also maps each larger block
    /// from the system; these maps took a fifth of the time for a cold file. So that limit is above
    /// the 1 MiB that a connection receives at once.
    static func keepSome() {
        #if os(Linux)
        // No Swift module contains `malloc.h`; the names and numbers are those of mallopt(3).
        let (trimThreshold, mapThreshold): (CInt, CInt) = (-1, -3)
        guard let address = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(address, to: (@convention(c) (CInt, CInt) -> CInt).self)
        _ = mallopt(trimThreshold, CInt(Self.kept))
        _ = mallopt(mapThreshold, 2 << 20)
        #endif
    }

    /// Returns free memory to the system 90 seconds from now, unless that is due already.
    ///
    /// Small blocks in use keep the library from returning the free blocks between them. A server
    /// that had a thousand clients would hold 100 MiB more than it uses.
    static func returnLater() {
        #if os(Linux)
        guard !self.isReturnDue.load(ordering: .relaxed),
            !self.isReturnDue.exchange(true, ordering: .relaxed),
            // See malloc_trim(3). Without it, the return stays due for ever.
            let address = dlsym(nil, "malloc_trim")
        else { return }
        let trim = unsafeBitCast(address, to: (@convention(c) (Int) -> CInt).self)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + self.delay) {
            self.isReturnDue.store(false, ordering: .relaxed)
            _ = trim(self.kept)
        }
        #endif
    }
}
