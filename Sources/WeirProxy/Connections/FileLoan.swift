// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Lends the descriptor of a leased file to NIO for one write.
///
/// NIO sends a file through an `NIOFileHandle`. The handle assumes that it owns the descriptor, and
/// must be closed or relieved of the descriptor before it is released. But the leased file owns the
/// descriptor, and other connections send from it, by position, at the same time. A duplicate for
/// every response would cost two system calls. So the loan takes the descriptor back when it ends,
/// and never closes it. The writer of ``region`` keeps the loan until the write has succeeded or
/// failed. That keeps both the handle and the file alive for as long as NIO may use them, also when
/// the connection closes in mid-write.
final class FileLoan {
    /// The bytes, as NIO takes them.
    let region: FileRegion
    /// Their byte range in the resource.
    let range: Range<Int64>

    private let file: any LeasedFile

    /// Borrows the file of a slice, for the first bytes of the slice.
    ///
    /// - Returns: `nil` if the file has no descriptor to lend, or ends before these bytes end. The
    ///   system call that sends from a file does not report a file that is too short, and NIO would
    ///   repeat the call for ever.
    init?(_ slice: ResidentSlice, upTo limit: Int64) {
        let lower = slice.range.lowerBound
        let count = min(slice.range.upperBound - lower, limit)
        let (end, isTooFar) = slice.fileOffset.addingReportingOverflow(count)
        var status = stat()
        guard slice.fileOffset >= 0, count >= 0, !isTooFar,
            let descriptor = slice.file.descriptor, fstat(descriptor, &status) == 0
        else { return nil }
        guard Int64(status.st_size) >= end else {
            // The file was cut short: its bytes are compared again before a reader gets more of
            // them.
            slice.file.doubt()
            return nil
        }
        self.file = slice.file
        self.range = lower..<(lower + count)
        self.region = FileRegion(
            fileHandle: NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor),
            readerIndex: Int(slice.fileOffset),
            endIndex: Int(end)
        )
    }

    /// The write failed.
    func failed(_ error: any Error) {
        // Any other error concerns the connection.
        if let error = error as? IOError, error.errnoCode == EIO { self.file.doubt() }
    }

    deinit {
        _ = try? self.region.fileHandle.takeDescriptorOwnership()
    }
}
