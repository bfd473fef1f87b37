// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A file on this machine's disk.
///
/// Once read, it stays open: a file that is put in its place under the same name changes nothing.
/// One that is overwritten where it stands does change.
final class DiskFile: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    init(path: String) { self.path = path }

    deinit {
        if let descriptor = self.descriptor.withLock({ $0 }) { close(descriptor) }
    }

    /// The bytes of a range; fewer where the file ends, none where it cannot be read.
    func bytes(in range: Range<Int64>) -> [UInt8] {
        guard let descriptor = self.opened() else { return [] }
        let count = Int(range.upperBound - range.lowerBound)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            while written < count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[written...])
                let offset = off_t(range.lowerBound) + off_t(written)
                let result = pread(descriptor, rest.baseAddress, count - written, offset)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { break }
                written += result
            }
        }
    }

    private func opened() -> Int32? {
        self.descriptor.withLock { descriptor in
            if descriptor == nil {
                let opened = open(self.path, O_RDONLY | O_CLOEXEC)
                if opened >= 0 { descriptor = opened }
            }
            return descriptor
        }
    }
}
